#include "apps/ethlog/block_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/ethlog/samples.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;

struct Counted {
  std::size_t blocks = 0;
  std::string error;
};

Counted count(const BlockSource& next) {
  Counted counted;
  for (;;) {
    const auto block = next();
    if (!block) counted.error = block.error().message;
    if (!block || !*block) return counted;
    ++counted.blocks;
  }
}

TEST(BlockFiles, AreToldApartByTheirFirstBytes) {
  const ScratchFolder folder;
  const auto chain = sample_chain(8, 3);
  for (const Bytes& era : {era1_of(chain), ere_of(chain, false)}) {
    std::ofstream{folder / "era", std::ios::binary} << text_of(era);
    const auto source = blocks_in_file(folder / "era");
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(count(*source).blocks, 3U);
  }
  const auto lines = blocks_in_file(golden_path("chain_blocks.jsonl"));
  ASSERT_TRUE(lines) << lines.error().message;
  EXPECT_EQ(count(*lines).blocks, 701U);
}

TEST(BlockFiles, NameTheFileInErrors) {
  const ScratchFolder folder;
  std::ofstream{folder / "blocks.jsonl"} << "{}\n";
  EXPECT_THAT(count(*blocks_in_file(folder / "blocks.jsonl")).error,
              HasSubstr("blocks.jsonl: Line 1: The member \"hash\" is missing."));
  const Bytes era = era1_of(sample_chain(0, 2));
  std::ofstream{folder / "cut.era1", std::ios::binary} << text_of(ByteView{era}.first(500));
  const auto cut = blocks_in_file(folder / "cut.era1");
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message, HasSubstr("cut.era1: Era file: "));
  EXPECT_THAT(blocks_in_file(folder.path()).error().message, HasSubstr("not a folder"));
  EXPECT_FALSE(blocks_in_file(folder / "missing"));
}

TEST(BlockFiles, OfAFreezerBeginWhereAsked) {
  const SampleChaindata chaindata;
  ASSERT_TRUE(chaindata.unpacked());
  const auto freezer = Freezer::open(chaindata.path());
  ASSERT_TRUE(freezer && *freezer);
  EXPECT_EQ(count(blocks_in_freezer(**freezer, 90)).blocks, 10U);
}

}  // namespace
}  // namespace bloomery::ethlog
