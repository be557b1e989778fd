#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- finality

std::string sentence_of(const Status& status) { return status ? "ok" : status.error().message; }

TEST(ChainStore, KeepsWhatANodeCallsSafeAndFinalized) {
  ChainStore store = store_in_memory();
  const auto chain = made_chain(0, 20, {});
  add_all(store, chain);
  EXPECT_EQ(*store.reader().finality(), Finality{});
  const auto id = [&](std::uint64_t n) { return BlockId{n, chain[n].header.hash}; };
  ASSERT_TRUE(store.set_finality({.safe = id(15), .finalized = id(10)}));
  EXPECT_EQ(*store.reader().finality(), (Finality{.safe = id(15), .finalized = id(10)}));
  EXPECT_EQ(store.reader().finalized()->value(), 10U);
  // It does not go back, and a node that says nothing takes nothing back.
  ASSERT_TRUE(store.set_finality({.safe = id(12), .finalized = id(9)}));
  ASSERT_TRUE(store.set_finality({}));
  EXPECT_EQ(*store.reader().finality(), (Finality{.safe = id(15), .finalized = id(10)}));
  ASSERT_TRUE(store.set_finality({.safe = {}, .finalized = id(18)}));
  EXPECT_EQ(store.reader().finality()->safe, id(18));
  EXPECT_THAT(sentence_of(store.set_finality({.safe = {}, .finalized = BlockId{19, {}}})),
              HasSubstr("block 19 cannot be noted as finalized"));
  EXPECT_THAT(sentence_of(store.set_finality({.safe = BlockId{25, {}}, .finalized = {}})),
              HasSubstr("no such block"));
}

TEST(ChainStore, DisplacesNoFinalizedBlock) {
  ChainStore store = store_in_memory();
  const auto chain = made_chain(0, 20, {});
  add_all(store, chain);
  ASSERT_TRUE(store.set_finality({.safe = BlockId{12, chain[12].header.hash},
                                  .finalized = BlockId{10, chain[10].header.hash}}));
  const auto deep = made_chain(10, 3, chain[9].header.hash, 1);
  EXPECT_THAT(error_of(store.add(deep[0], Gaps::kRefused)),
              HasSubstr("would displace block 10, but the chain is final up to block 10"));
  EXPECT_EQ(store.reader().head()->value(), 19U);
  const auto shallow = made_chain(11, 3, chain[10].header.hash, 1);
  ASSERT_TRUE(store.add(shallow[0], Gaps::kRefused));
  EXPECT_EQ(store.reader().head()->value(), 11U);
  EXPECT_FALSE(store.reader().finality()->safe);  // displaced
  EXPECT_EQ(store.reader().finality()->finalized->number, 10U);
}

// ---- reading a chain

void expect_golden(const ChainReader& reader) {
  EXPECT_EQ(reader.head()->value(), 700U);
  for (const ImportedBlock& wanted : golden_chain()) {
    const std::uint64_t number = wanted.header.number;
    ASSERT_EQ(reader.canonical_hash(number)->value(), wanted.header.hash) << number;
    ASSERT_EQ(reader.number_of(wanted.header.hash)->value(), number);
    ASSERT_EQ(reader.header(number)->value().rlp, wanted.header.rlp) << number;
    const auto block = reader.block(number, wanted.header.hash);
    ASSERT_TRUE(block) << block.error().message;
    ASSERT_TRUE((*block)->has_receipts);
    ASSERT_EQ((*block)->transaction_hashes, wanted.transaction_hashes) << number;
    ASSERT_EQ((*block)->receipts.size(), wanted.receipts.size());
    for (std::size_t i = 0; i < wanted.receipts.size(); ++i) {
      ASSERT_EQ((*block)->receipts[i].logs, wanted.receipts[i].logs) << number;
      ASSERT_EQ((*block)->receipts[i].transaction_hash, wanted.transaction_hashes[i]);
    }
  }
  EXPECT_FALSE(reader.canonical_hash(701)->has_value());
  EXPECT_FALSE(reader.number_of(filled_hash(1))->has_value());
  EXPECT_EQ(*reader.block(5, filled_hash(1)), nullptr);
}

TEST(ChainReader, ReadsEveryBlockOfAGethFolder) {
  const SampleChaindata chaindata;
  const auto store = open_foreign_leveldb(chaindata.path());
  ASSERT_TRUE(store) << store.error().message;
  const auto freezer = Freezer::open(chaindata.path());
  ASSERT_TRUE(freezer && *freezer);
  const ChainReader reader{**store, &**freezer};
  ASSERT_EQ(golden_chain().size(), 701U);
  expect_golden(reader);
  EXPECT_EQ(*reader.section_count(), 5U);
  EXPECT_EQ(reader.section_head(4)->value(), golden_chain()[639].header.hash);
  EXPECT_TRUE(reader.bloom_vector(7, 4, golden_chain()[639].header.hash)->has_value());
  EXPECT_FALSE(reader.bloom_vector(7, 4, filled_hash(1))->has_value());
}

// Lets something happen between two reads of one block.
class InterruptedStore final : public KeyValueStore {
 public:
  Result<std::optional<std::string>> get(std::string_view key) const override {
    auto value = store_.get(key);
    if (interrupt && key.starts_with(after)) std::exchange(interrupt, {})();
    return value;
  }
  Status scan(std::string_view first, std::string_view past, const Visit& visit) const override {
    return store_.scan(first, past, visit);
  }
  Status write(const WriteBatch& batch, Durability durability) override {
    return store_.write(batch, durability);
  }
  std::string_view after;  // beginning of a key
  mutable std::function<void()> interrupt;

 private:
  MemoryStore store_;
};

TEST(ChainReader, ReadsABlockThatIsCompletedMeanwhileAndDoesNotRememberItsOldParts) {
  for (const std::string_view after : {"b", "r", "bloomery/note/"}) {
    auto owned = std::make_unique<InterruptedStore>();
    InterruptedStore& interrupted = *owned;
    auto store = ChainStore::over(std::move(owned));
    ASSERT_TRUE(store);
    const auto chain = made_chain(0, 1, Hash{});
    ImportedBlock bare = chain[0];
    bare.receipts.clear();
    bare.has_receipts = false;
    add_all(*store, {bare});
    interrupted.after = after;
    interrupted.interrupt = [&] { add_all(*store, chain); };
    const auto meanwhile = store->reader().block(0, bare.header.hash);
    ASSERT_TRUE(meanwhile) << meanwhile.error().message;
    EXPECT_FALSE(interrupted.interrupt);
    const auto block = store->reader().block(0, bare.header.hash);
    ASSERT_TRUE(block) << block.error().message;
    EXPECT_TRUE((*block)->has_receipts) << after;
  }
}

// ---- our own store

TEST(ChainStore, KeepsTheSampleChainAndKnowsItAgain) {
  const ScratchFolder folder;
  {
    auto store = ChainStore::open(folder / "db", Creation::kAllowed);
    ASSERT_TRUE(store) << store.error().message;
    add_all(*store, golden_chain());
    ASSERT_TRUE(store->sync());
    expect_golden(store->reader());
    for (const std::size_t i : {0U, 350U, 700U}) {
      const auto again = store->add(golden_chain()[i], Gaps::kRefused);
      ASSERT_TRUE(again);
      EXPECT_FALSE(again->stored || !again->added.empty() || !again->removed.empty());
    }
  }
  const auto store = ChainStore::open(folder / "db", Creation::kMustExist);
  ASSERT_TRUE(store) << store.error().message;
  expect_golden(store->reader());
  EXPECT_EQ(store->counts().blocks, 701U);
  EXPECT_EQ(store->counts().unverified, 0U);
  EXPECT_EQ(store->counts().gaps, 0U);
  EXPECT_EQ(store->counts().lowest, 0U);
  EXPECT_EQ(*store->chain_id(), 1U);
}

TEST(ChainStore, NeverOpensADatabaseThatIsNotItsOwn) {
  const SampleChaindata chaindata;
  const auto before = bytes_of_folder(chaindata.path());
  for (const Creation creation : {Creation::kAllowed, Creation::kMustExist}) {
    const auto refused = ChainStore::open(chaindata.path(), creation);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("of another program"));
  }
  EXPECT_EQ(bytes_of_folder(chaindata.path()), before);
  const ScratchFolder folder;
  EXPECT_FALSE(ChainStore::open(folder / "none", Creation::kMustExist));
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
  EXPECT_FALSE(is_chain_store(folder.path()));
}

TEST(ChainStore, RefusesABlockThatDoesNotFit) {
  ChainStore store = store_in_memory();
  const auto chain = made_chain(0, 10, Hash{});
  add_all(store, {chain.begin(), chain.begin() + 5});
  EXPECT_THAT(error_of(store.add(chain[6], Gaps::kRefused)),
              HasSubstr("block 5 is not in the store"));
  ImportedBlock altered = chain[5];
  altered.receipts[0].logs[0].address.bytes[3] = std::byte{9};
  EXPECT_THAT(error_of(store.add(altered, Gaps::kRefused)), HasSubstr("another bloom"));
  const auto stranger = made_block(5, filled_hash(77), {});
  for (const Gaps gaps : {Gaps::kRefused, Gaps::kAllowed})
    EXPECT_THAT(error_of(store.add(stranger, gaps)), HasSubstr("its parent is 0x4d4d"));
  EXPECT_EQ(store.counts().blocks, 5U);
  EXPECT_FALSE(store.reader().canonical_hash(5)->has_value());
  EXPECT_EQ(*store.reader().block(5, chain[5].header.hash), nullptr);
}

std::vector<Hash> canonical(const ChainStore& store, std::uint64_t count) {
  std::vector<Hash> hashes;
  for (std::uint64_t number = 0; number < count; ++number)
    hashes.push_back(store.reader().canonical_hash(number)->value_or(Hash{}));
  return hashes;
}

// Section heads as an index leaves them.
void claim_sections(ChainStore& store, std::uint64_t sections) {
  const std::uint64_t size = *store.section_size();
  WriteBatch batch;
  for (std::uint64_t s = 0; s < sections; ++s) {
    const Hash head = store.reader().canonical_hash(size * (s + 1) - 1)->value();
    const std::string_view text{reinterpret_cast<const char*>(head.bytes.data()), 32};
    batch.put(section_head_key(s), text);
    batch.put(adaptive_head_key(s), text);
  }
  batch.put(kSectionCountKey, encode_number(sections));
  ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
}

TEST(ChainStore, ReorganisesAtAnyDepthAndRollsTheIndexesBack) {
  const auto chain = made_chain(0, 40, Hash{});
  for (const std::size_t depth : {1U, 7U, 8U, 9U, 31U, 39U}) {
    ChainStore store = store_in_memory();
    ASSERT_TRUE(store.set_section_size(8));
    add_all(store, chain);
    claim_sections(store, 5);
    const std::size_t fork = 40 - depth;
    const auto branch = made_chain(fork, 3, chain[fork - 1].header.hash, 1);
    const auto change = store.add(branch[0], Gaps::kRefused);
    ASSERT_TRUE(change) << change.error().message;
    EXPECT_TRUE(change->stored);
    ASSERT_EQ(change->removed.size(), depth);
    EXPECT_EQ(change->removed.front(), (BlockId{39, chain[39].header.hash}));
    EXPECT_EQ(change->removed.back(), (BlockId{fork, chain[fork].header.hash}));
    EXPECT_THAT(change->added, ElementsAre(BlockId{fork, branch[0].header.hash}));
    EXPECT_EQ(store.reader().head()->value(), fork);
    EXPECT_EQ(store.counts().blocks, fork + 1);
    EXPECT_EQ(*store.reader().section_count(), fork / 8);
    for (std::uint64_t s = 0; s < 5; ++s) {
      EXPECT_EQ(store.reader().section_head(s)->has_value(), s < fork / 8) << s;
      EXPECT_EQ(store.store().get(adaptive_head_key(s))->has_value(), s < fork / 8) << s;
    }
    // The old branch, when it grows again, comes back as a whole.
    add_all(store, {branch.begin() + 1, branch.end()});
    const auto longer = made_chain(40, 1, chain[39].header.hash);
    const auto back = store.add(longer[0], Gaps::kRefused);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->removed.size(), 3U);
    EXPECT_EQ(back->added.size(), depth + 1);
    std::vector<Hash> wanted;
    for (const ImportedBlock& block : chain) wanted.push_back(block.header.hash);
    EXPECT_EQ(canonical(store, 40), wanted);
    EXPECT_EQ(store.counts().blocks, 41U);
    EXPECT_EQ(store.counts().gaps, 0U);
    // Also a block in the middle of the other branch may be the last that is imported.
    const auto middle = store.add(branch[1], Gaps::kRefused);
    ASSERT_TRUE(middle) << middle.error().message;
    EXPECT_EQ(store.reader().head()->value(), fork + 1);
    EXPECT_EQ(middle->added.size(), 2U);
    EXPECT_EQ(store.counts().blocks, fork + 2);
  }
}

TEST(ChainStore, AllowsGapsWhenToldAndCountsThem) {
  ChainStore store = store_in_memory();
  const auto chain = made_chain(100, 20, filled_hash(9));
  add_all(store, {chain.begin() + 5, chain.begin() + 8});  // the first block may be any
  EXPECT_EQ(store.counts().lowest, 105U);
  EXPECT_FALSE(store.add(chain[12], Gaps::kRefused));
  add_all(store, {chain.begin() + 12, chain.begin() + 15}, Gaps::kAllowed);
  EXPECT_EQ(store.counts().gaps, 4U);
  EXPECT_EQ(store.reader().head()->value(), 114U);
  add_all(store, {chain.begin(), chain.begin() + 2}, Gaps::kAllowed);
  EXPECT_EQ(store.counts().gaps, 7U);
  EXPECT_EQ(store.counts().lowest, 100U);
  EXPECT_EQ(store.reader().head()->value(), 114U);
  add_all(store, {chain.begin() + 2, chain.begin() + 12});
  EXPECT_EQ(store.counts().gaps, 0U);
  EXPECT_EQ(store.counts().blocks, 15U);
  // A block in a gap that contradicts the one above it displaces what is above, up to the next gap.
  ChainStore other = store_in_memory();
  add_all(other, {chain.begin(), chain.begin() + 5}, Gaps::kAllowed);
  add_all(other, {chain.begin() + 6, chain.begin() + 9}, Gaps::kAllowed);
  add_all(other, {chain.begin() + 15, chain.end()}, Gaps::kAllowed);
  const auto rival = made_chain(105, 1, chain[4].header.hash, 3);
  const auto change = other.add(rival[0], Gaps::kRefused);
  ASSERT_TRUE(change) << change.error().message;
  EXPECT_EQ(change->removed.size(), 3U);
  EXPECT_EQ(other.reader().head()->value(), 119U);
  EXPECT_EQ(other.counts().blocks, 11U);
  // The displaced branch cannot come back before the block that it stands on is there.
  EXPECT_THAT(error_of(other.add(chain[9], Gaps::kAllowed)),
              HasSubstr("its branch goes back to block 106"));
}

TEST(ChainStore, CountsBlocksWithoutAHeaderAndCompletesThemLater) {
  ChainStore store = store_in_memory();
  auto chain = made_chain(0, 4, Hash{});
  ImportedBlock bare = chain[1];
  bare.header.rlp.clear();
  bare.body_rlp.clear();
  bare.receipts.clear();
  bare.has_receipts = false;
  bare.header.receipts_root.reset();
  add_all(store, {chain[0], bare, chain[2], chain[3]});
  EXPECT_EQ(store.counts().unverified, 1U);
  const Hash hash = bare.header.hash;
  EXPECT_FALSE((*store.reader().block(1, hash))->has_receipts);
  EXPECT_EQ(store.reader().header(1)->value().bloom, bare.header.bloom);
  const auto completed = store.add(chain[1], Gaps::kRefused);
  ASSERT_TRUE(completed) << completed.error().message;
  EXPECT_TRUE(completed->stored && completed->added.empty() && completed->removed.empty());
  EXPECT_EQ((*store.reader().block(1, hash))->receipts.size(), 1U);
  EXPECT_EQ(store.counts().unverified, 0U);
  EXPECT_EQ(store.counts().blocks, 4U);
  // And a poorer copy takes nothing away, also not from a block on a side branch.
  add_all(store, made_chain(1, 2, chain[0].header.hash, 1));
  const auto back = store.add(bare, Gaps::kRefused);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(store.reader().canonical_hash(1)->value(), hash);
  EXPECT_EQ((*store.reader().block(1, hash))->receipts.size(), 1U);
  EXPECT_EQ(store.counts().unverified, 0U);
}

TEST(ChainStore, GivesBackReceiptsOfABlockWithoutAHeader) {
  ChainStore store = store_in_memory();
  const auto chain = made_chain(0, 3, Hash{});
  ImportedBlock bare = chain[1];
  ASSERT_TRUE(check_block(bare));
  bare.header.rlp.clear();
  bare.body_rlp.clear();
  add_all(store, {chain[0], bare, chain[2]});
  EXPECT_EQ(store.counts().unverified, 1U);
  store.reader().forget(bare.header.hash);
  const auto block = store.reader().block(1, bare.header.hash);
  ASSERT_TRUE(block) << block.error().message;
  EXPECT_EQ((*block)->receipts[0].logs, bare.receipts[0].logs);
  EXPECT_EQ((*block)->receipts[0].transaction_hash, bare.transaction_hashes[0]);
  EXPECT_EQ((*block)->header.bloom, bare.header.bloom);
  EXPECT_EQ(store.reader().header(1)->value().timestamp, bare.header.timestamp);
  // A rival takes its place, and it comes back.
  add_all(store, made_chain(1, 1, chain[0].header.hash, 1));
  EXPECT_EQ(store.counts().unverified, 0U);
  add_all(store, {bare});
  EXPECT_EQ(store.counts().unverified, 1U);
}

TEST(ChainStore, ReadsABlockBackThatCameWithHalfOfItsReceipts) {
  ChainStore store = store_in_memory();
  const auto chain = made_chain(0, 2, Hash{});
  ImportedBlock half = chain[1];
  half.has_receipts = false;
  add_all(store, {chain[0], half});
  const auto block = store.reader().block(1, half.header.hash);
  ASSERT_TRUE(block) << block.error().message;
  EXPECT_FALSE((*block)->has_receipts);
  add_all(store, {chain[1]});
  EXPECT_TRUE((*store.reader().block(1, half.header.hash))->has_receipts);
}

TEST(ChainStore, KeepsItsSettings) {
  const ScratchFolder folder;
  {
    auto store = ChainStore::open(folder / "db", Creation::kAllowed);
    ASSERT_TRUE(store);
    EXPECT_EQ(*store->section_size(), kDefaultSectionSize);
    EXPECT_FALSE(store->set_section_size(12));
    EXPECT_FALSE(store->set_section_size(0));
    ASSERT_TRUE(store->set_section_size(64));
    ASSERT_TRUE(store->set_chain_id(11155111));
  }
  const auto store = ChainStore::open(folder / "db", Creation::kMustExist);
  ASSERT_TRUE(store);
  EXPECT_EQ(*store->section_size(), 64U);
  EXPECT_EQ(*store->chain_id(), 11155111U);
  EXPECT_FALSE(store->reader().head()->has_value());
}

}  // namespace
}  // namespace bloomery::ethlog
