#include "apps/cli/dedup/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "apps/cli/records/split.h"
#include "tests/apps/cli/temporary_file.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

std::string gathered(const std::string& text, std::vector<std::uint8_t> is_new, bool wanted) {
  Chunk chunk;
  chunk.buffer.resize(text.size(), 0);
  std::ranges::copy(bytes_of(text), chunk.buffer.data());
  split_records({chunk.buffer.data(), text.size()}, 0, 0, std::byte{'\n'}, chunk.records);
  chunk.is_new = std::move(is_new);
  return std::string{text_of(gather_records(chunk, wanted))};
}

TEST(GatherRecords, KeepsTheOrderAndTheDelimiters) {
  const std::string text = "a\nbb\n\ncc\nd\n";
  EXPECT_EQ(gathered(text, {1, 1, 1, 1, 1}, true), text);
  EXPECT_EQ(gathered(text, {0, 0, 0, 0, 0}, true), "");
  EXPECT_EQ(gathered(text, {1, 0, 1, 1, 0}, true), "a\n\ncc\n");
  EXPECT_EQ(gathered(text, {1, 0, 1, 1, 0}, false), "bb\nd\n");
  EXPECT_EQ(gathered(text, {0, 1, 1, 0, 1}, true), "bb\n\nd\n");
}

TEST(WriteAll, SaysWhyItCannot) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  const auto written = write_all(full, bytes_of("x"));
  ::close(full);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "standard output: cannot write: No space left on device");
}

TEST(RefuseOwnOutput, KnowsAFileUnderAnotherName) {
  const TemporaryFile file{"a\n"};
  const TemporaryFile other{"a\n"};
  const std::string link = file.path() + ".link";
  ASSERT_EQ(::symlink(file.path().c_str(), link.c_str()), 0);
  const int out = ::open(file.path().c_str(), O_WRONLY | O_CLOEXEC);
  EXPECT_TRUE(refuse_own_output(out, {{other.path(), 2}}));
  EXPECT_FALSE(refuse_own_output(out, {{other.path(), 2}, {link, 2}}));
  ::close(out);
  ::unlink(link.c_str());
}

}  // namespace
}  // namespace bloomery::cli
