#include "apps/ethlog/import/read_era1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/base/file.h"
#include "tests/apps/ethlog/store/samples.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;

std::string error_of(ByteView file) {
  auto reader = EraReader::open(file);
  if (!reader) return reader.error().message;
  for (;;) {
    auto block = reader->next();
    if (!block) return block.error().message;
    if (!*block) return "";
    if (const Status checked = check_block(**block); !checked) return checked.error().message;
  }
}

TEST(Era1, OfTheRealChainIsWholeAndLinked) {
  const std::string path = real_path("mainnet-00000-5ec1ffb8.era1");
  const auto file = MappedFile::open(path);
  if (!file) GTEST_SKIP() << "The real data is not here: " << path;
  auto reader = EraReader::open(file->bytes());
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->first_block(), 0U);
  EXPECT_EQ(reader->blocks(), 8192U);
  ASSERT_TRUE(reader->accumulator());
  EXPECT_EQ(reader->accumulator()->hex().substr(0, 10), "0x5ec1ffb8");
  std::optional<Hash> parent;
  std::size_t blocks = 0;
  for (;;) {
    auto next = reader->next();
    ASSERT_TRUE(next) << next.error().message;
    if (!*next) break;
    ImportedBlock& block = **next;
    const Status checked = check_block(block);
    ASSERT_TRUE(checked) << checked.error().message;
    const Status linked = check_parent(block, parent, Gaps::kRefused);
    ASSERT_TRUE(linked) << linked.error().message;
    ASSERT_EQ(block.verified, (Verified{true, true, true, true, true})) << block.header.number;
    parent = block.header.hash;
    ++blocks;
    if (blocks == 1) {
      EXPECT_EQ(parent->hex(),
                "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3");
    }
  }
  EXPECT_EQ(blocks, 8192U);
}

TEST(Era1, GivesBackTheBlocksThatWereWritten) {
  const auto chain = sample_chain(16'384, 5);
  const Bytes file = era1_of(chain);
  auto reader = EraReader::open(file);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->first_block(), 16'384U);
  const auto blocks = all_blocks(*reader);
  ASSERT_EQ(blocks.size(), chain.size());
  for (std::size_t i = 0; i < chain.size(); ++i) {
    EXPECT_EQ(blocks[i].header, chain[i].header);
    EXPECT_EQ(blocks[i].body_rlp, chain[i].body_rlp);
    EXPECT_EQ(blocks[i].receipts, chain[i].receipts);
  }
  EXPECT_EQ(error_of(file), "");
}

TEST(Era1, IsReadInItsSuccessorFormatToo) {
  const auto chain = sample_chain(24'576, 4);
  for (const bool before_merge : {true, false}) {
    const Bytes file = ere_of(chain, before_merge);
    auto reader = EraReader::open(file);
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(reader->accumulator().has_value(), before_merge);
    auto blocks = all_blocks(*reader);
    ASSERT_EQ(blocks.size(), chain.size());
    for (std::size_t i = 0; i < chain.size(); ++i) {
      EXPECT_FALSE(blocks[i].receipts[1].bloom);
      ASSERT_TRUE(check_block(blocks[i]));
      EXPECT_EQ(blocks[i].verified, (Verified{true, false, true, true, true}));
      EXPECT_EQ(blocks[i].header, chain[i].header);
    }
  }
}

TEST(Era1, RefusesAnotherAccumulatorIndexOrOrder) {
  auto chain = sample_chain(0, 3);
  const Bytes good = era1_of(chain);
  const std::size_t index = good.size() - 8 - 5 * 8;
  Bytes bad = good;
  bad[index - 1] ^= std::byte{1};
  EXPECT_THAT(error_of(bad), HasSubstr("give the accumulator 0x"));
  bad = good;
  bad[index + 16 + 8] ^= std::byte{1};
  EXPECT_THAT(error_of(bad), HasSubstr("its index says that block 1 begins at byte"));
  bad = good;
  bad[index + 8] = std::byte{1};
  EXPECT_THAT(error_of(bad), HasSubstr("the header of block 0 stands where block 1 belongs"));
  bad = good;
  bad[good.size() - 8] = std::byte{2};
  EXPECT_THAT(error_of(bad), HasSubstr("block index"));
  bad = good;
  bad[good.size() - 7] = std::byte{0xff};
  EXPECT_THAT(error_of(bad), HasSubstr("it is cut short or damaged"));
  bad = good;
  bad.resize(good.size() - 4);
  EXPECT_THAT(error_of(bad), HasSubstr("it is cut short or damaged"));
  bad = good;
  bad[6] = std::byte{1};
  EXPECT_THAT(error_of(bad), HasSubstr("reserved bytes"));
  std::swap(chain[1], chain[2]);
  EXPECT_THAT(error_of(era1_of(chain)), HasSubstr("stands where block 1 belongs"));
  chain = sample_chain(0, 3);
  chain[1] = sample_block(1, filled_hash(0xdd));
  EXPECT_THAT(error_of(era1_of(chain)), HasSubstr("era file: the parent of block 1 is 0xdd"));
}

TEST(Era1, SurvivesTruncationAndAlteredBytes) {
  const auto chain = sample_chain(0, 2);
  for (const Bytes& good : {era1_of(chain), ere_of(chain, true)}) {
    ASSERT_EQ(error_of(good), "");
    for (std::size_t size = 0; size < good.size(); size += 3)
      EXPECT_NE(error_of(ByteView{good}.first(size)), "");
    for (std::size_t at = 0; at < good.size(); at += 2)
      for (const unsigned value : {0x00U, 0x7fU, 0xffU}) {
        Bytes bad = good;
        bad[at] = static_cast<std::byte>(value);
        (void)error_of(bad);
      }
  }
}

// Values of a straightforward Merkle tree over 8192 leaves, made with Python's hashlib.
TEST(EraAccumulator, OfUnfinishedErasCountsMissingBlocksAsZero) {
  EXPECT_EQ(era_accumulator({}).hex(),
            "0x4a8c3a07c8d23adc5bac61157555c3c784d53d9bc110c1370809bd23cd93777d");
  const std::vector<HeaderRecord> records(3, {filled_hash(1), filled_hash(2)});
  EXPECT_EQ(era_accumulator(std::span{records}.first(1)).hex(),
            "0x1137b80b7981c5e537e1e5cff4e7428184520aac3ccd3f908b4c0594e05322df");
  EXPECT_EQ(era_accumulator(records).hex(),
            "0xc898454eb7ec6aba7b2da635f0a018a8eef02b41fb1d23fbb7f3488e91a94ef1");
}

}  // namespace
}  // namespace bloomery::ethlog
