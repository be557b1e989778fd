#include "apps/ethlog/check/search_cost.h"

#include <gmock/gmock.h>

#include "apps/ethlog/check/why_no_section.h"
#include "apps/ethlog/index/adaptive/index.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A folder on disk with the blocks, and what is to be made of them.
class Chain {
 public:
  explicit Chain(const std::vector<ImportedBlock>& blocks,
                 const std::function<void(ChainStore&)>& work = {}, Gaps gaps = Gaps::kRefused) {
    auto store = ChainStore::open(folder_ / "db", Creation::kAllowed);
    EXPECT_TRUE(store) << store.error().message;
    EXPECT_TRUE(store->set_section_size(8));
    add_all(*store, blocks, gaps);
    if (work) work(*store);
    EXPECT_TRUE(store->sync());
  }
  ChainFolder open() const { return *ChainFolder::open(folder_ / "db"); }
  SearchEstimate cost() const {
    const ChainFolder chain = open();
    return estimate_search_cost(chain.reader(), *status_of(chain));
  }

 private:
  ScratchFolder folder_;
};

TEST(SearchCost, IsThatOfEachWayInWhichBlocksAreLookedUp) {
  const auto blocks = made_chain(0, 60, Hash{});
  const Chain chain{{blocks.begin(), blocks.begin() + 60}, [&](ChainStore& store) {
                      ASSERT_TRUE((BloombitsIndexer{store, 12}.run()));
                      ASSERT_TRUE((AdaptiveIndexer{store, {.confirms = 36}}.run()));
                    }};
  const SearchEstimate cost = chain.cost();
  EXPECT_THAT(cost.problem, IsEmpty());
  ASSERT_EQ(cost.parts.size(), 3U);
  const std::tuple<std::string_view, std::uint64_t> wanted[] = {
      {"adaptive", 24}, {"bloombits", 24}, {"header blooms", 12}};
  for (std::size_t i = 0; i < 3; ++i) {
    const SearchEstimatePart& part = cost.parts[i];
    EXPECT_EQ(std::tuple(part.by, part.blocks), wanted[i]);
    EXPECT_EQ(part.sampled_blocks, part.blocks) << "so short a chain is measured whole";
    EXPECT_GT(part.milliseconds, 0);
    if (part.by != "bloombits") {
      EXPECT_GT(part.bytes, 0);  // vectors without a bit have no bytes
    }
    EXPECT_GT(part.candidates, 0);
    EXPECT_LT(part.candidates, 1);  // blocks with one log
  }
  EXPECT_EQ(cost.total().blocks, 60U);
  EXPECT_NEAR(cost.total().candidates,
              cost.parts[0].candidates + cost.parts[1].candidates + cost.parts[2].candidates, 1e-9);
}

// Candidates of full blooms are what a real search has: three quarters of the bits, cubed.
TEST(SearchCost, ExpectsTheCandidatesThatASearchHas) {
  std::vector<Log> logs(700);
  std::vector<ImportedBlock> blocks;
  Hash parent;
  for (std::uint64_t number = 0; number < 64; ++number) {
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const Hash random = keccak_hash(bytes_of(std::to_string(number * 1000 + i)));
      logs[i].address = Address::from_bytes(random.view().first(20));
    }
    blocks.push_back(made_block(number, parent, {logs}));
    parent = blocks.back().header.hash;
  }
  const Chain chain{blocks};
  const SearchEstimate cost = chain.cost();
  ASSERT_EQ(cost.parts.size(), 1U);
  EXPECT_NEAR(cost.parts[0].candidates, 64 * 0.264, 4);  // (1 - e^(-3 * 700 / 2048))^3
  EXPECT_EQ(cost.parts[0].decoded, cost.parts[0].candidates);
}

TEST(SearchCost, OfAChainThatCannotBeSearchedIsNotKnown) {
  auto blocks = made_chain(0, 20, Hash{});
  std::vector<Log> logs(3000);
  for (std::size_t i = 0; i < logs.size(); ++i)
    store_le(logs[i].address.bytes.data(), std::uint64_t{i} * 0x9e3779b97f4a7c15);
  blocks.push_back(made_block(20, blocks.back().header.hash, {logs}));
  blocks[20].receipts.clear();
  blocks[20].has_receipts = false;
  const SearchEstimate cost = Chain{blocks}.cost();
  ASSERT_EQ(cost.parts.size(), 1U);
  EXPECT_EQ(cost.parts[0].blocks, 21U);
  EXPECT_EQ(cost.parts[0].sampled_blocks, 0U);
  EXPECT_THAT(cost.problem, HasSubstr("failed to get logs for block #20"));
}

TEST(SearchCost, LeavesOutMissingBlocks) {
  const auto blocks = made_chain(0, 40, Hash{});
  std::vector<ImportedBlock> some{blocks.begin(), blocks.begin() + 10};
  some.insert(some.end(), blocks.begin() + 25, blocks.end());
  const SearchEstimate cost = Chain{some, {}, Gaps::kAllowed}.cost();
  ASSERT_EQ(cost.parts.size(), 1U);
  EXPECT_EQ(cost.parts[0].blocks, 25U);
  EXPECT_EQ(cost.parts[0].sampled_blocks, 25U);
}

TEST(SearchCost, OfNoBlocksHasNoParts) { EXPECT_THAT(Chain{{}}.cost().parts, IsEmpty()); }

// Why there is no section.

std::string why_none(ChainStore& store, std::uint64_t confirms) {
  const auto made = AdaptiveIndexer{store, {.confirms = confirms}}.run();
  EXPECT_TRUE(made) << made.error().message;
  const auto why = why_no_section(store, IndexKind::kAdaptive, *made, confirms);
  EXPECT_TRUE(why) << why.error().message;
  return *why;
}

ChainStore store_of_8(const std::vector<ImportedBlock>& blocks, Gaps gaps = Gaps::kRefused) {
  ChainStore store = store_in_memory();
  EXPECT_TRUE(store.set_section_size(8));
  add_all(store, blocks, gaps);
  return store;
}

TEST(WhyNoSection, NamesTooFewBlocksAndTooFewConfirmations) {
  ChainStore empty = store_of_8({});
  EXPECT_THAT(why_none(empty, 0), HasSubstr("the folder has no blocks yet"));
  ChainStore few = store_of_8(made_chain(0, 5, Hash{}));
  EXPECT_EQ(why_none(few, 2),
            "a section of 8 blocks (--section) needs block 7 and 2 blocks after it (--confirms), "
            "but the newest block is 4");
  ChainStore waiting = store_of_8(made_chain(0, 10, Hash{}));
  EXPECT_EQ(why_none(waiting, 3),
            "section 0 (blocks 0 to 7) waits until 3 blocks have come after it (--confirms), but "
            "only 2 have");
  // The section that the first block is in the middle of is never whole.
  ChainStore late = store_of_8(made_chain(5, 8, filled_hash(1)), Gaps::kAllowed);
  EXPECT_THAT(why_none(late, 0), HasSubstr("needs block 15"));
}

TEST(WhyNoSection, NamesGapsReceiptsAndSectionsThatAreThere) {
  auto chain = made_chain(0, 40, Hash{});
  std::vector<ImportedBlock> broken{chain.begin(), chain.begin() + 3};
  broken.insert(broken.end(), chain.begin() + 5, chain.begin() + 12);
  broken.insert(broken.end(), chain.begin() + 13, chain.begin() + 18);
  ChainStore gaps = store_of_8(broken, Gaps::kAllowed);
  EXPECT_EQ(why_none(gaps, 2),
            "2 sections cannot be made because blocks 3 to 4 and 12 are missing; import them");
  for (const std::size_t bare : {3U, 4U, 12U}) {
    chain[bare].receipts.clear();
    chain[bare].has_receipts = false;
  }
  ChainStore bare = store_of_8({chain.begin(), chain.begin() + 16});
  EXPECT_THAT(why_none(bare, 0),
              HasSubstr("2 sections cannot be made because the receipts of a block are missing"));
  ChainStore all = store_of_8({chain.begin() + 16, chain.end()}, Gaps::kAllowed);
  ASSERT_EQ(AdaptiveIndexer(all, {.confirms = 0}).run()->generated, 3U);
  EXPECT_EQ(why_none(all, 0),
            "all 3 sections that can be made are there; the next one needs block 47 and 0 blocks "
            "after it");
  EXPECT_THAT(*why_no_section(all, IndexKind::kBloombits, {}, 0),
              HasSubstr("a section of 8 blocks (--section) needs block 47"));
}

}  // namespace
}  // namespace bloomery::ethlog
