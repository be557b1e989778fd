#include "apps/ethlog/store/transaction_index.h"

#include <gmock/gmock.h>

#include <thread>

#include "apps/ethlog/check/verify.h"
#include "apps/ethlog/import/follow_transactions.h"
#include "apps/ethlog/store/chain_records.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;

Hash only_transaction(const ImportedBlock& block) {
  return decode_body(block.body_rlp)->transactions.at(0).hash();
}

// "block/index", "none", or the error.
std::string found(const ChainStore& store, const Hash& hash) {
  const auto place = find_transaction(store.reader(), hash);
  if (!place) return place.error().message;
  if (!*place) return "none";
  return std::to_string((*place)->block->header.number) + "/" + std::to_string((*place)->index);
}

std::size_t keys_in(const ChainStore& store) {
  std::size_t keys = 0;
  EXPECT_TRUE(store.store().scan("t", "u",
                                 [&](std::string_view, std::string_view) { return ++keys, true; }));
  return keys;
}

TEST(TransactionIndex, FindsEveryTransactionOfAnImportedChain) {
  ChainStore store = store_in_memory();
  add_all(store, golden_chain());
  std::size_t count = 0;
  for (const ImportedBlock& block : golden_chain())
    for (std::size_t i = 0; i < block.transaction_hashes.size(); ++i, ++count)
      EXPECT_EQ(found(store, block.transaction_hashes[i]),
                std::to_string(block.header.number) + "/" + std::to_string(i));
  EXPECT_GT(count, 500U);
  EXPECT_EQ(keys_in(store), count);
  EXPECT_EQ(found(store, filled_hash(7)), "none");
}

TEST(TransactionIndex, FollowsAReorganisationInOneStep) {
  ChainStore store = store_in_memory();
  const auto old = made_chain(0, 10, Hash{});
  add_all(store, old);
  const auto fork = made_chain(5, 3, old[4].header.hash, 1);
  add_all(store, fork);
  for (const ImportedBlock& block : {old[5], old[9]})
    EXPECT_EQ(found(store, only_transaction(block)), "none");
  EXPECT_EQ(found(store, only_transaction(fork[2])), "7/0");
  EXPECT_EQ(keys_in(store), 8U);
  // Back to the first branch, by a block above its tip.
  const auto longer = made_chain(10, 1, old[9].header.hash);
  add_all(store, longer);
  EXPECT_EQ(found(store, only_transaction(old[9])), "9/0");
  EXPECT_EQ(found(store, only_transaction(fork[0])), "none");
  EXPECT_EQ(keys_in(store), 11U);
}

// The same transaction in both branches, at one height.
TEST(TransactionIndex, KeepsATransactionThatBothBranchesHave) {
  ChainStore store = store_in_memory();
  const ImportedBlock first = made_block(1, filled_hash(8), {{}});
  ImportedBlock other = first;
  other.header =
      *decode_header(header_rlp(1, filled_hash(9), *decode_body(first.body_rlp), first.receipts));
  add_all(store, {first});
  add_all(store, {other}, Gaps::kVouched);
  EXPECT_EQ(*store.reader().canonical_hash(1), other.header.hash);
  EXPECT_EQ(found(store, only_transaction(first)), "1/0");
}

// ---- never a wrong null

ChainStore made_without_index(std::unique_ptr<KeyValueStore> bytes) {
  WriteBatch forget;
  EXPECT_TRUE(bytes->scan("t", "u", [&](std::string_view key, std::string_view) {
    forget.remove(key);
    return true;
  }));
  forget.remove(kTransactionIndexKey);
  EXPECT_TRUE(bytes->write(forget, Durability::kBuffered));
  return std::move(*ChainStore::over(std::move(bytes)));
}

std::unique_ptr<KeyValueStore> copy_of(const KeyValueStore& store) {
  auto copy = std::make_unique<MemoryStore>();
  WriteBatch all;
  EXPECT_TRUE(store.scan({}, std::string(64, '\xff'), [&](auto key, auto value) {
    all.put(key, value);
    return true;
  }));
  EXPECT_TRUE(copy->write(all, Durability::kBuffered));
  return copy;
}

TEST(TransactionIndex, OfAnOlderChainSaysWhatIsMissingAndIsMadeInSteps) {
  const auto blocks = made_chain(3, 20, filled_hash(1));
  ChainStore first = store_in_memory();
  add_all(first, blocks);
  ChainStore store = made_without_index(copy_of(first.store()));
  EXPECT_THAT(found(store, only_transaction(blocks[0])),
              HasSubstr("blocks 3 to 22 are not indexed yet; run bloomery eth index"));
  // New blocks are indexed as they come, and what they displace is not missed.
  add_all(store, made_chain(23, 1, blocks[19].header.hash));
  const auto fork = made_chain(20, 1, blocks[16].header.hash, 5);
  add_all(store, fork);
  EXPECT_EQ(*store.index_transactions(7), true);
  EXPECT_EQ(found(store, only_transaction(blocks[6])), "9/0");
  EXPECT_THAT(found(store, only_transaction(blocks[7])), HasSubstr("blocks 10 to 22"));
  // It is continued after a restart.
  ChainStore again = std::move(*ChainStore::over(copy_of(store.store())));
  while (*again.index_transactions(4)) {
  }
  EXPECT_EQ(found(again, only_transaction(blocks[16])), "19/0");
  EXPECT_EQ(found(again, only_transaction(fork[0])), "20/0");
  EXPECT_EQ(found(again, only_transaction(blocks[19])), "none");
  EXPECT_EQ(*again.index_transactions(4), false);
  EXPECT_EQ(keys_in(again), 18U);
}

// As a server with --follow does it, while blocks come.
TEST(TransactionIndex, IsMadeBesideAServerThatTakesBlocks) {
  const auto blocks = made_chain(0, 300, Hash{});
  ChainStore first = store_in_memory();
  add_all(first, {blocks.begin(), blocks.begin() + 250});
  ChainStore store = made_without_index(copy_of(first.store()));
  LiveChain live{store, 1};
  std::mutex mutex;
  std::vector<std::string> said;
  {
    const TransactionIndexer indexer{live, [&](const std::string& sentence) {
                                       const std::lock_guard lock{mutex};
                                       said.push_back(sentence);
                                     }};
    for (std::size_t i = 250; i < blocks.size(); ++i)
      EXPECT_TRUE(live.add(blocks[i], Gaps::kRefused));
    for (int i = 0; i < 6'000 && store.reader().transaction_index().rest; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  for (const ImportedBlock& block : blocks)
    EXPECT_EQ(found(store, only_transaction(block)), std::to_string(block.header.number) + "/0");
  EXPECT_EQ(found(store, filled_hash(77)), "none");
  ASSERT_GE(said.size(), 2U);
  EXPECT_EQ(said.front(), "indexing the transactions of blocks 0 to 249");
  EXPECT_EQ(said.back(), "the transactions of all blocks are indexed");
  const TransactionIndexer nothing_to_do{
      live, [](const std::string& sentence) { ADD_FAILURE() << sentence; }};
}

TEST(TransactionIndex, IsNotTrustedAfterAVersionWithoutItAddedBlocks) {
  ChainStore store = store_in_memory();
  const auto blocks = made_chain(0, 6, Hash{});
  add_all(store, {blocks.begin(), blocks.begin() + 4});
  const auto record = *store.store().get(kTransactionIndexKey);
  add_all(store, {blocks.begin() + 4, blocks.end()});
  auto bytes = copy_of(store.store());
  WriteBatch as_before;
  as_before.put(kTransactionIndexKey, *record);
  ASSERT_TRUE(bytes->write(as_before, Durability::kBuffered));
  const auto again = ChainStore::over(std::move(bytes));
  ASSERT_TRUE(again);
  EXPECT_THAT(found(*again, filled_hash(200)), HasSubstr("blocks 0 to 5 are not indexed yet"));
}

TEST(TransactionIndex, SaysThatHashesAreNotKnown) {
  ChainStore store = store_in_memory();
  ImportedBlock block;
  block.header.number = 1;
  block.header.hash = filled_hash(1);
  block.receipts.resize(2);
  block.has_receipts = true;
  block.header.bloom = bloom_of(block.receipts);
  add_all(store, {block}, Gaps::kAllowed);
  EXPECT_THAT(found(store, filled_hash(7)), HasSubstr("1 blocks came without the hashes"));
  ImportedBlock displacing = made_block(1, filled_hash(0), {{}});
  add_all(store, {displacing}, Gaps::kVouched);
  EXPECT_EQ(found(store, filled_hash(7)), "none");
}

TEST(TransactionIndex, NamesABlockThatIsCompletedLater) {
  ChainStore store = store_in_memory();
  const ImportedBlock whole = made_block(1, filled_hash(0), {{}, {}});
  ImportedBlock bare = whole;
  bare.body_rlp.clear();
  bare.receipts.clear();
  bare.has_receipts = false;
  add_all(store, {bare}, Gaps::kAllowed);
  const Hash second = decode_body(whole.body_rlp)->transactions[1].hash();
  EXPECT_THAT(found(store, second), HasSubstr("without the hashes"));
  add_all(store, {whole}, Gaps::kAllowed);
  EXPECT_EQ(found(store, second), "1/1");
  EXPECT_EQ(found(store, filled_hash(7)), "none");
}

TEST(TransactionIndex, IsVerifiedAndMadeAnewByARepair) {
  ChainStore store = store_in_memory();
  const auto blocks = made_chain(0, 20, Hash{});
  add_all(store, blocks);
  EXPECT_EQ(verify_chain(store.reader(), nullptr)->problems, 0U);
  WriteBatch loss;
  std::size_t seen = 0;
  ASSERT_TRUE(store.store().scan("t", "u", [&](std::string_view key, std::string_view) {
    if (++seen == 7) loss.remove(key);
    return true;
  }));
  ASSERT_TRUE(store.store().write(loss, Durability::kBuffered));
  const auto report = verify_chain(store.reader(), nullptr);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->problems, 1U);
  EXPECT_THAT(report->messages.at(0),
              HasSubstr("1 of its transactions are not in the index of transactions"));
  store.reader().set_transaction_index({.rest = BlockRange{0, 19}});  // as when it is opened for it
  EXPECT_EQ(verify_chain(store.reader(), &store)->problems, 0U);
  EXPECT_EQ(keys_in(store), 20U);
  EXPECT_EQ(found(store, filled_hash(77)), "none");
}

TEST(TransactionIndex, RefusesARecordThatIsBroken) {
  ChainStore store = store_in_memory();
  add_all(store, made_chain(0, 2, Hash{}));
  auto bytes = copy_of(store.store());
  WriteBatch broken;
  broken.put(kTransactionIndexKey, "\xc1");
  ASSERT_TRUE(bytes->write(broken, Durability::kBuffered));
  EXPECT_FALSE(ChainStore::over(std::move(bytes)));
}

}  // namespace
}  // namespace bloomery::ethlog
