#include "apps/ethlog/index/bloombits/index.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/ethlog/check/status.h"
#include "apps/ethlog/check/verify.h"
#include "apps/ethlog/index/bloombits/search.h"
#include "apps/ethlog/store/geth_directory.h"
#include "apps/ethlog/store/schema.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;

std::map<std::string, std::string> index_records(const KeyValueStore& store) {
  std::map<std::string, std::string> records;
  for (const std::string_view prefix : {"B", "iB"})
    EXPECT_TRUE(
        store.scan(prefix, after_prefix(prefix), [&](std::string_view key, std::string_view value) {
          const KeyKind kind = parse_key(key).kind;
          if (kind == KeyKind::kBloomBits || kind == KeyKind::kSectionHead ||
              kind == KeyKind::kSectionCount)
            records.emplace(key, value);
          return true;
        }));
  return records;
}

TEST(BloombitsIndex, IsTheOneThatGethStored) {
  const SampleChaindata chaindata;
  const auto geth = GethDirectory::open(chaindata.path());
  ASSERT_TRUE(geth) << geth.error().message;
  EXPECT_EQ(*section_size_of(geth->reader()), 128U);
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(128));
  add_all(store, golden_chain());
  const auto made = BloombitsIndexer{store, 32}.run();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->generated, 5U);
  const auto wanted = index_records(geth->reader().store());
  EXPECT_EQ(wanted.size(), 5U * 2048 + 5 + 1);
  EXPECT_EQ(index_records(store.store()), wanted);
  const auto again = BloombitsIndexer{store, 32}.run();
  EXPECT_EQ(again->generated, 0U);
}

TEST(BloombitsIndex, WaitsForConfirmations) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  const auto chain = made_chain(0, 40, Hash{});
  std::size_t at = 0;
  const auto sections_with = [&](std::size_t blocks, std::uint64_t confirms) {
    for (; at < blocks; ++at) EXPECT_TRUE(store.add(chain[at], Gaps::kRefused));
    EXPECT_TRUE((BloombitsIndexer{store, confirms}.run()));
    return *store.reader().section_count();
  };
  EXPECT_EQ(sections_with(1, 5), 0U);
  EXPECT_EQ(sections_with(8, 8), 0U);   // head 7 is below the confirmations
  EXPECT_EQ(sections_with(12, 5), 0U);  // (11 + 1 - 5) / 8
  EXPECT_EQ(sections_with(13, 5), 1U);
  EXPECT_EQ(sections_with(16, 0), 2U);
  EXPECT_EQ(sections_with(40, 256), 2U);
  EXPECT_EQ(sections_with(40, 8), 4U);
}

TEST(BloombitsIndex, FollowsAReorganisation) {
  const auto chain = made_chain(0, 40, Hash{});
  const auto branch = made_chain(21, 25, chain[20].header.hash, 1);
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  add_all(store, chain);
  ASSERT_TRUE((BloombitsIndexer{store, 0}.run()));
  EXPECT_EQ(*store.reader().section_count(), 5U);
  add_all(store, branch);
  EXPECT_EQ(*store.reader().section_count(), 2U);
  const auto made = BloombitsIndexer{store, 0}.run();
  EXPECT_EQ(made->generated, 3U);
  // What was made in two steps is what is made in one.
  ChainStore other = store_in_memory();
  ASSERT_TRUE(other.set_section_size(8));
  add_all(other, {chain.begin(), chain.begin() + 21});
  add_all(other, branch);
  ASSERT_TRUE((BloombitsIndexer{other, 0}.run()));
  auto records = index_records(store.store());
  std::erase_if(records, [&](const auto& record) {  // garbage under the old heads
    const SchemaKey key = parse_key(record.first);
    return key.kind == KeyKind::kBloomBits &&
           store.reader().section_head(key.number)->value() != key.hash;
  });
  EXPECT_EQ(records, index_records(other.store()));
}

TEST(BloombitsIndex, TakesBackHeadsThatAreNotCanonical) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  add_all(store, made_chain(0, 40, Hash{}));
  BloombitsIndexer indexer{store, 0};
  ASSERT_TRUE(indexer.run());
  WriteBatch batch;  // as after a crash of a program that writes head and count apart
  for (const std::uint64_t section : {3, 4})
    batch.put(section_head_key(section), std::string(32, 'x'));
  ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
  EXPECT_EQ(*indexer.verify_last_head(), 3U);
  EXPECT_FALSE(store.reader().section_head(3)->has_value());
  EXPECT_EQ(indexer.run()->generated, 2U);
}

TEST(BloombitsIndex, ErrorsAreThoseOfGeth) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  const auto chain = made_chain(0, 24, Hash{});
  add_all(store, chain);
  const auto error_now = [&] {
    const auto made = BloombitsIndexer{store, 0}.run();
    return made ? "no error" : made.error().message;
  };
  WriteBatch batch;
  batch.remove(canonical_hash_key(13));
  ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
  EXPECT_EQ(error_now(), "canonical block #13 unknown");
  EXPECT_EQ(*store.reader().section_count(), 1U);
  batch.clear();
  const std::string_view stranger{"\x01\x02\xff\xfe____________________________", 32};
  batch.put(canonical_hash_key(13), stranger);
  ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
  EXPECT_EQ(error_now(), "block #13 [0102fffe..] not found");
  batch.clear();
  const auto rival = made_chain(13, 1, chain[12].header.hash, 5);
  batch.put(canonical_hash_key(13), text_of(rival[0].header.hash.view()));
  batch.put(header_key(13, rival[0].header.hash), text_of(rival[0].header.rlp));
  ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
  EXPECT_EQ(error_now(), "chain reorged during section processing");
}

TEST(BloombitsIndex, LeavesOutSectionsWithGaps) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  const auto chain = made_chain(0, 64, Hash{});
  add_all(store, {chain.begin() + 12, chain.begin() + 33});
  add_all(store, {chain.begin() + 38, chain.begin() + 60}, Gaps::kAllowed);
  const auto made = BloombitsIndexer{store, 0}.run();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->generated, 4U);  // 16-23, 24-31, 40-47, 48-55
  EXPECT_EQ(*store.reader().section_count(), 0U);
  const auto source = bloombits_source(store.reader());
  const auto covered = [&](std::uint64_t first, std::uint64_t last) {
    return source->covered({first, last})->value_or(BlockRange{});
  };
  EXPECT_EQ(covered(12, 59), (BlockRange{16, 31}));
  EXPECT_EQ(covered(20, 25), (BlockRange{20, 25}));
  EXPECT_EQ(covered(32, 59), (BlockRange{40, 55}));
  EXPECT_EQ(covered(56, 59), BlockRange{});
  add_all(store, {chain.begin() + 33, chain.begin() + 38});
  EXPECT_EQ(BloombitsIndexer(store, 0).run()->generated, 1U);
  EXPECT_EQ(covered(12, 59), (BlockRange{16, 55}));
}

TEST(BloombitsIndex, StopsWhenToldAndGoesOnLater) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  add_all(store, made_chain(0, 40, Hash{}));
  std::stop_source stop;
  BloombitsIndexer indexer{store, 0};
  const auto some = indexer.run(
      [&](const IndexProgress& progress) {
        if (progress.generated == 2) stop.request_stop();
      },
      stop.get_token());
  EXPECT_EQ(some->generated, 2U);
  EXPECT_EQ(*store.reader().section_count(), 2U);
  EXPECT_EQ(indexer.run()->generated, 3U);
}

TEST(Verify, FindsNothingWrongInGethsOwnFolder) {
  const SampleChaindata chaindata;
  const auto geth = GethDirectory::open(chaindata.path());
  ASSERT_TRUE(geth);
  const auto report = verify_chain(geth->reader(), nullptr);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->blocks, 701U);
  EXPECT_EQ(report->sections, 5U);
  EXPECT_EQ(report->problems, 0U) << report->messages[0];
  EXPECT_EQ(report->unverifiable, 0U);
}

TEST(Verify, FindsWhatIsWrongAndRepairsTheIndex) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  const auto chain = made_chain(0, 40, Hash{});
  add_all(store, chain);
  ASSERT_TRUE((BloombitsIndexer{store, 0}.run()));
  const auto right = index_records(store.store());
  const auto verified = [&](ChainStore* repair) { return *verify_chain(store.reader(), repair); };
  EXPECT_EQ(verified(nullptr).problems, 0U);
  WriteBatch batch;
  batch.remove(bloom_bits_key(100, 1, chain[15].header.hash));
  batch.put(bloom_bits_key(2047, 1, chain[15].header.hash), "\x80");
  batch.put(section_head_key(3), std::string(32, 'x'));
  ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
  const VerifyReport found = verified(nullptr);
  EXPECT_EQ(found.problems, 2U);
  EXPECT_EQ(found.messages[0],
            "section 1: 2 of its 2048 vectors are missing or not those of its blocks");
  EXPECT_EQ(found.messages[1], "section 3: its head is not the canonical block 31");
  EXPECT_EQ(verified(&store).repaired, 2U);
  EXPECT_EQ(verified(nullptr).problems, 0U);
  EXPECT_EQ(index_records(store.store()), right);
  // Altered receipts, a block that is not there, a link that is broken.
  batch.clear();
  batch.put(receipts_key(5, chain[5].header.hash), text_of(encode_storage(chain[6].receipts)));
  batch.remove(header_key(20, chain[20].header.hash));
  batch.remove(body_key(20, chain[20].header.hash));
  batch.remove(receipts_key(20, chain[20].header.hash));
  batch.remove(note_key(20, chain[20].header.hash));
  ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
  for (const ImportedBlock& block : chain) store.reader().forget(block.header.hash);
  const VerifyReport worse = verified(&store);
  EXPECT_EQ(worse.problems, 3U);
  EXPECT_THAT(worse.messages[0], HasSubstr("block 5: "));
  EXPECT_THAT(worse.messages[1], HasSubstr("block 20: the store has no record of it"));
  EXPECT_THAT(worse.messages[2], HasSubstr("section 2: block #20"));
  EXPECT_EQ(worse.repaired, 0U);
}

TEST(Status, CountsWhatIsThere) {
  const SampleChaindata chaindata;
  const auto geth = status_of(*ChainFolder::open(chaindata.path()));
  ASSERT_TRUE(geth);
  EXPECT_TRUE(geth->geth);
  EXPECT_EQ(geth->head, 700U);
  EXPECT_EQ(geth->frozen_blocks, 100U);
  EXPECT_EQ(geth->section_size, 128U);
  EXPECT_EQ(geth->sections, 5U);
  EXPECT_EQ(geth->indexed_blocks, 640U);
  const ScratchFolder folder;
  {
    auto store = ChainStore::open(folder / "db", Creation::kAllowed);
    ASSERT_TRUE(store && store->set_section_size(8));
    add_all(*store, made_chain(10, 30, filled_hash(1)));
    ASSERT_TRUE((BloombitsIndexer{*store, 0}.run()));
  }
  const auto own = status_of(*ChainFolder::open(folder / "db"));
  ASSERT_TRUE(own);
  EXPECT_FALSE(own->geth);
  EXPECT_EQ(own->counts->blocks, 30U);
  EXPECT_EQ(own->lowest, 10U);
  EXPECT_EQ(own->sections, 0U);
  EXPECT_EQ(own->indexed_blocks, 24U);
}

}  // namespace
}  // namespace bloomery::ethlog
