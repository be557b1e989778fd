// Files that another process changes or cuts while they are read: an error, and the process lives.
#include <gmock/gmock.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "apps/ethlog/import/block_files.h"
#include "apps/ethlog/store/freezer.h"
#include "apps/ethlog/store/snappy_frames.h"
#include "tests/apps/ethlog/store/samples.h"

namespace bloomery::ethlog {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// The decoder reads the length of the data a second time. It is between two values for as long as
// this lives, and the larger would be written beyond a buffer for the smaller.
TEST(ChangingBytes, OfASnappyBlockDoNotOverflowWhatTheirLengthAskedFor) {
  const Bytes plain(60'000, std::byte{7});
  Bytes block = snappy_block(plain);
  const Bytes small = snappy_block(Bytes(100, std::byte{7}));
  // 60000 and 100 as varints of three bytes: the middle one tells them apart, as do the others.
  const std::byte large_length[] = {block[0], block[1], block[2]};
  const std::byte small_length[] = {std::byte{0xe4}, std::byte{0x80}, std::byte{0x00}};
  std::atomic<bool> over = false;
  std::thread changing{[&] {
    volatile std::byte* const at = block.data();
    while (!over)
      for (const auto* length : {small_length, large_length})
        for (std::size_t i = 0; i < 3; ++i) at[i] = length[i];
  }};
  int whole = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto out = decode_snappy_block(block, {1 << 20});
    if (out && *out == plain) ++whole;
    if (out) {
      ASSERT_LE(out->size(), 1U << 20);
    }
  }
  over = true;
  changing.join();
  const auto out = decode_snappy_block(small, {1 << 20});
  EXPECT_EQ(out->size(), 100U);
  RecordProperty("whole", whole);
}

TEST(ChangingFiles, OfAFreezerThatAreCutAreAnError) {
  const SampleChaindata chaindata;
  ASSERT_TRUE(chaindata.unpacked());
  const auto freezer = Freezer::open(chaindata.path());
  ASSERT_TRUE(freezer && *freezer);
  ASSERT_TRUE((*freezer)->block(50));
  for (const char* name : {"receipts.0000.cdat", "bodies.cidx", "hashes.0000.rdat"}) {
    const fs::path file = chaindata.path() / "ancient" / name;
    fs::resize_file(file, 0);
    const auto block = (*freezer)->block(50);
    ASSERT_FALSE(block) << name;
    EXPECT_THAT(block.error().message, HasSubstr(name));
    EXPECT_THAT(block.error().message, HasSubstr("it ends at 0"));
  }
}

TEST(ChangingFiles, OfAFreezerThatAreRewrittenAreReadOrRefused) {
  const SampleChaindata chaindata;
  ASSERT_TRUE(chaindata.unpacked());
  const auto freezer = Freezer::open(chaindata.path());
  ASSERT_TRUE(freezer && *freezer);
  const fs::path file = chaindata.path() / "ancient" / "receipts.0000.cdat";
  const auto size = fs::file_size(file);
  std::atomic<bool> over = false;
  std::thread changing{[&] {
    std::fstream stream{file, std::ios::in | std::ios::out | std::ios::binary};
    for (std::uint64_t i = 1; !over; ++i) {
      stream.seekp(static_cast<std::streamoff>(i * 7919 % size));
      stream.put(static_cast<char>(i * 31));
      stream.flush();
      if (i % 64 == 0) {
        fs::resize_file(file, size / 2);
        fs::resize_file(file, size);
      }
    }
  }};
  int failed = 0;
  for (int round = 0; round < 20; ++round)
    for (std::uint64_t number = 0; number < 100; ++number)
      if (!(*freezer)->block(number)) ++failed;
  over = true;
  changing.join();
  EXPECT_GT(failed, 0);
}

TEST(ChangingFiles, OfAnEraThatAreCutAreAnError) {
  const std::string real = real_path("mainnet-00000-5ec1ffb8.era1");
  std::error_code failed;
  const ScratchFolder folder;
  fs::copy_file(real, folder / "some.era1", failed);
  if (failed) GTEST_SKIP() << "The real data is not here: " << real;
  const auto blocks = blocks_in_file(folder / "some.era1");
  ASSERT_TRUE(blocks) << blocks.error().message;
  ASSERT_TRUE((*blocks)());
  fs::resize_file(folder / "some.era1", 4096);
  Result<std::optional<ImportedBlock>> block = (*blocks)();
  while (block && *block) block = (*blocks)();
  ASSERT_FALSE(block);
  EXPECT_THAT(block.error().message, HasSubstr("it ends at 4096"));
}

}  // namespace
}  // namespace bloomery::ethlog
