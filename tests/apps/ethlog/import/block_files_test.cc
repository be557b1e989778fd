#include "apps/ethlog/import/block_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/apps/ethlog/store/samples.h"
#include "tests/apps/input/byte_pipe.h"
#include "tests/apps/input/compress.h"

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
              HasSubstr("blocks.jsonl: line 1: the member \"hash\" is missing"));
  const Bytes era = era1_of(sample_chain(0, 2));
  std::ofstream{folder / "cut.era1", std::ios::binary} << text_of(ByteView{era}.first(500));
  const auto cut = blocks_in_file(folder / "cut.era1");
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message, HasSubstr("cut.era1: era file: "));
  EXPECT_THAT(blocks_in_file(folder.path()).error().message,
              HasSubstr("it is a folder; give a file of blocks"));
  EXPECT_FALSE(blocks_in_file(folder / "missing"));
}

std::string bytes_in(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

TEST(BlockFiles, ArePipesAndCompressedFilesToo) {
  const ScratchFolder folder;
  const std::string lines = bytes_in(golden_path("chain_blocks.jsonl"));
  const std::string era{text_of(era1_of(sample_chain(8, 3)))};
  for (const auto& [bytes, blocks] : {std::pair{lines, 701U}, std::pair{era, 3U}}) {
    for (const std::string& packed : {bytes, testing::gzip(bytes), testing::zstd(bytes)}) {
      const testing::BytePipe pipe{packed};
      const auto source = blocks_in_file(pipe.path());
      ASSERT_TRUE(source) << source.error().message;
      const Counted counted = count(*source);
      EXPECT_EQ(counted.blocks, blocks) << counted.error;
      EXPECT_EQ(counted.error, "");
      std::ofstream{folder / "file", std::ios::binary} << packed;
      EXPECT_EQ(count(*blocks_in_file(folder / "file")).blocks, blocks);
    }
  }
  const auto other = blocks_in_file(golden_path("chain_blocks.jsonl"), BlockFileKind::kEra);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("does not begin like one of the format era1"));
}

TEST(BlockFiles, ThatWereCutNameTheLine) {
  const std::string packed = testing::gzip(bytes_in(golden_path("chain_blocks.jsonl")));
  const testing::BytePipe pipe{packed.substr(0, packed.size() / 2)};
  const Counted counted = count(*blocks_in_file(pipe.path()));
  EXPECT_GT(counted.blocks, 100U);
  EXPECT_EQ(counted.error, pipe.path() + ": line " + std::to_string(counted.blocks + 1) +
                               ": the gzip data end early; the file is incomplete (after byte " +
                               std::to_string(packed.size() / 2) + " of the compressed data)");
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
