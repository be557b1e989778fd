#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "apps/ethlog/import/import.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;

using Chain = std::vector<ImportedBlock>;

NamedSource source_of(Chain blocks, int* opened = nullptr) {
  return {[blocks = std::move(blocks), opened]() -> Result<BlockSource> {
            if (opened != nullptr) ++*opened;
            return blocks_of(blocks);
          },
          opened == nullptr};
}

Chain part(const Chain& chain, std::size_t first, std::size_t end) {
  return {chain.begin() + static_cast<std::ptrdiff_t>(first),
          chain.begin() + static_cast<std::ptrdiff_t>(end)};
}

void expect_chain(const ChainStore& store, const Chain& chain) {
  EXPECT_EQ(store.counts().blocks, chain.size());
  EXPECT_EQ(store.counts().gaps, 0U);
  EXPECT_EQ(store.counts().lowest, chain.front().header.number);
  EXPECT_EQ(store.reader().head()->value(), chain.back().header.number);
  for (const ImportedBlock& block : chain)
    ASSERT_EQ(store.reader().canonical_hash(block.header.number)->value(), block.header.hash);
}

std::string complaint(ChainStore& store, const Chain& blocks, ImportOptions options = {}) {
  ImportProgress progress;
  const Status imported = import_blocks(store, blocks_of(blocks), options, progress);
  return imported ? "" : imported.error().message;
}

TEST(ImportOrder, OfTheBlocksMakesNoDifference) {
  for (const std::uint64_t first : {0U, 1000U}) {
    const Chain chain = made_chain(first, 60, first == 0 ? Hash{} : filled_hash(9));
    for (unsigned seed = 0; seed < 20; ++seed) {
      Chain shuffled = chain;
      std::ranges::shuffle(shuffled, std::mt19937{seed});
      ChainStore store = store_in_memory();
      EXPECT_EQ(complaint(store, shuffled), "") << seed;
      expect_chain(store, chain);
    }
  }
}

TEST(ImportOrder, OfTheSourcesMakesNoDifference) {
  const Chain chain = made_chain(1000, 40, filled_hash(9));
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    ChainStore store = store_in_memory();
    ImportProgress progress;
    std::vector<NamedSource> sources;
    for (const std::size_t i : order)
      sources.push_back(source_of(part(chain, 10 * i, 10 * i + 10)));
    // No block has to wait, whatever their order.
    const ImportOptions options{.most_waiting_bytes = 0};
    const Status imported = import_sources(store, std::move(sources), options, progress);
    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(progress.blocks, 40U);
    expect_chain(store, chain);
  } while (std::ranges::next_permutation(order).found);
}

TEST(ImportOrder, OpensAPipeOnce) {
  const Chain chain = made_chain(0, 30, Hash{});
  int opened = 0;
  ChainStore store = store_in_memory();
  ImportProgress progress;
  std::vector<NamedSource> sources;
  sources.push_back(source_of(part(chain, 0, 10)));
  sources.push_back(source_of(part(chain, 20, 30), &opened));
  sources.push_back(source_of(part(chain, 10, 20)));
  ASSERT_TRUE(import_sources(store, std::move(sources), {}, progress));
  expect_chain(store, chain);
  EXPECT_EQ(opened, 1);
}

TEST(ImportOrder, OfBranchesIsTheGivenOne) {
  const Chain chain = made_chain(0, 20, Hash{});
  Chain branch = part(chain, 0, 10);
  for (ImportedBlock& block : made_chain(10, 15, chain[9].header.hash, 7))
    branch.push_back(std::move(block));
  ChainStore store = store_in_memory();
  ImportProgress progress;
  std::vector<NamedSource> sources;
  sources.push_back(source_of(chain));
  sources.push_back(source_of(part(branch, 10, 25)));
  ASSERT_TRUE(import_sources(store, std::move(sources), {}, progress));
  expect_chain(store, branch);
  // A block whose branch comes later waits for it, and does not displace anything before.
  ChainStore other = store_in_memory();
  Chain late = chain;
  late.push_back(branch[24]);
  for (std::size_t i = 10; i < 24; ++i) late.push_back(branch[i]);
  EXPECT_EQ(complaint(other, late), "");
  expect_chain(other, branch);
}

TEST(ImportOrder, NamesTheParentThatDidNotCome) {
  const Chain chain = made_chain(0, 30, Hash{});
  Chain without = chain;
  without.erase(without.begin() + 12);
  ChainStore store = store_in_memory();
  EXPECT_EQ(complaint(store, without),
            "block 13: its parent, block 12 (" + chain[12].header.hash.hex() +
                "), is neither in the store nor in what was read; import it first, or allow gaps "
                "(--gaps)");
  expect_chain(store, part(chain, 0, 12));
  EXPECT_EQ(complaint(store, part(chain, 12, 30)), "");
  expect_chain(store, chain);
  // Another block is in its place.
  const Chain branch = made_chain(20, 3, filled_hash(0x44), 9);
  EXPECT_THAT(complaint(store, branch), HasSubstr("block 20: its parent is 0x4444"));
  expect_chain(store, chain);
}

TEST(ImportOrder, IsAnErrorWhereTooManyBlocksWait) {
  Chain chain = made_chain(0, 100, Hash{});
  std::ranges::reverse(chain);
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.add(chain.back(), Gaps::kRefused));
  const std::string said = complaint(store, chain, {.most_waiting_bytes = 20'000});
  EXPECT_THAT(said, HasSubstr("is neither in the store nor in what was read; more blocks wait"));
  EXPECT_THAT(said, HasSubstr("sort the lines"));
  EXPECT_EQ(store.counts().blocks, 1U);
  EXPECT_EQ(complaint(store, chain), "");
  EXPECT_EQ(store.counts().blocks, 100U);
}

TEST(ImportOrder, GoesBelowTheChainOnlyWhereItLeadsUpToIt) {
  const Chain chain = made_chain(100, 30, filled_hash(9));
  ChainStore store = store_in_memory();
  EXPECT_EQ(complaint(store, part(chain, 20, 30)), "");
  EXPECT_THAT(complaint(store, part(chain, 5, 10)), HasSubstr("block 105: its parent, block 104"));
  EXPECT_EQ(store.counts().blocks, 10U);
  EXPECT_EQ(complaint(store, part(chain, 0, 20)), "");
  expect_chain(store, chain);
}

TEST(ImportOrder, OfReceiptsBehindTheirBlocksCompletesTheLowestToo) {
  const Chain chain = made_chain(100, 5, filled_hash(9));
  Chain bare = chain;
  for (ImportedBlock& block : bare) {
    block.has_receipts = false;
    block.receipts.clear();
  }
  ChainStore store = store_in_memory();
  EXPECT_EQ(complaint(store, bare), "");
  EXPECT_EQ(complaint(store, chain), "");
  for (const ImportedBlock& block : chain)
    EXPECT_TRUE((*store.reader().block(block.header.number, block.header.hash))->has_receipts);
}

TEST(ImportOrder, WithGapsAllowedIsTheGivenOne) {
  const Chain chain = made_chain(0, 30, Hash{});
  ChainStore store = store_in_memory();
  ImportProgress progress;
  std::vector<NamedSource> sources;
  sources.push_back(source_of(part(chain, 20, 30)));
  sources.push_back(source_of(part(chain, 0, 10)));
  ASSERT_TRUE(import_sources(store, std::move(sources), {.gaps = Gaps::kAllowed}, progress));
  EXPECT_EQ(store.counts().blocks, 20U);
  EXPECT_EQ(store.counts().gaps, 10U);
}

TEST(AnotherChain, IsRefusedInPlaceOfTheLowestBlock) {
  const auto expect_refused = [](ChainStore& store, const ImportedBlock& block, Gaps gaps) {
    const StoreCounts before = store.counts();
    EXPECT_THAT(error_of(store.add(block, gaps)), HasSubstr("it is of another chain; import it"));
    EXPECT_EQ(store.counts().blocks, before.blocks);
    EXPECT_EQ(store.counts().lowest, before.lowest);
    EXPECT_EQ(*store.reader().block(block.header.number, block.header.hash), nullptr);
  };
  for (const std::size_t blocks : {1U, 10U}) {
    ChainStore store = store_in_memory();
    add_all(store, made_chain(0, blocks, Hash{}));
    for (const Gaps gaps : {Gaps::kRefused, Gaps::kAllowed})
      expect_refused(store, made_chain(0, 1, Hash{}, 1)[0], gaps);
  }
  ChainStore store = store_in_memory();
  add_all(store, made_chain(1, 10, filled_hash(9)));
  expect_refused(store, made_chain(0, 1, Hash{})[0], Gaps::kRefused);  // it is not their parent
  expect_refused(store, made_chain(1, 1, filled_hash(8))[0], Gaps::kAllowed);
  // With the same parent it is a branch of this chain, and a node may know more than the folder.
  ASSERT_TRUE(store.add(made_chain(1, 1, filled_hash(9), 1)[0], Gaps::kAllowed));
  EXPECT_EQ(store.counts().blocks, 1U);
  ASSERT_TRUE(store.add(made_chain(1, 1, filled_hash(8))[0], Gaps::kVouched));
  EXPECT_EQ(store.counts().blocks, 1U);
}

TEST(AnotherChain, LeavesTheFolderAsItWas) {
  const Chain chain = made_chain(0, 30, Hash{});
  ChainStore store = store_in_memory();
  EXPECT_EQ(complaint(store, chain), "");
  for (const Gaps gaps : {Gaps::kRefused, Gaps::kAllowed})
    EXPECT_THAT(complaint(store, made_chain(0, 12, Hash{}, 1), {.gaps = gaps}),
                HasSubstr("it is of another chain; import it into another folder (--db)"));
  expect_chain(store, chain);
}

}  // namespace
}  // namespace bloomery::ethlog
