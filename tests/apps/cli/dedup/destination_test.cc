#include "apps/cli/dedup/destination.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/input/input.h"
#include "tests/apps/cli/temporary_file.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

std::string bytes_in(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path, std::ios::binary}.rdbuf();
  return text.str();
}

std::string decompressed(const std::string& path) {
  auto input = input::Input::open(path);
  std::string text;
  std::byte buffer[4096];
  for (;;) {
    const auto got = input->read(buffer);
    EXPECT_TRUE(got);
    if (!got || *got == 0) return text;
    text += text_of(ByteView{buffer}.first(*got));
  }
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919 % 100'003) + "\n";
  return text;
}

TEST(Destination, KeepsTheOldFileUntilTheNewOneIsComplete) {
  const TemporaryFile old{"old"};
  EXPECT_FALSE(Destination::open({old.path(), {}})) << "it is replaced only with --force";
  auto destination = Destination::open({old.path(), {}, true});
  ASSERT_TRUE(destination);
  ASSERT_TRUE(destination->write(bytes_of("new")));
  ASSERT_TRUE(destination->settle(true));
  EXPECT_EQ(bytes_in(old.path()), "old");
  EXPECT_FALSE(Destination::open({old.path(), {}, true})) << "two writers of one file";
  ASSERT_TRUE(destination->publish());
  EXPECT_EQ(bytes_in(old.path()), "new");
  EXPECT_FALSE(std::filesystem::exists(old.path() + ".partial"));
}

TEST(Destination, RemovesWhatItAbandons) {
  const TemporaryFile old{"old"};
  auto destination = Destination::open({old.path(), {}, true});
  ASSERT_TRUE(destination);
  ASSERT_TRUE(destination->write(bytes_of("new")));
  destination->abandon();
  EXPECT_EQ(bytes_in(old.path()), "old");
  EXPECT_FALSE(std::filesystem::exists(old.path() + ".partial"));
}

TEST(Destination, CompressesAndGoesOnBehindASettledFrame) {
  const std::string text = long_text();
  for (const OutputCompression how : {OutputCompression::kZstd, OutputCompression::kGzip}) {
    const TemporaryFile file{""};
    const DestinationOptions options{file.path(), how, true};
    std::uint64_t size = 0;
    {
      auto destination = Destination::open(options);
      ASSERT_TRUE(destination);
      ASSERT_TRUE(destination->write(bytes_of(text)));
      ASSERT_TRUE(destination->settle(true));
      size = destination->size();
      ASSERT_TRUE(destination->write(bytes_of("this is lost")));
    }
    EXPECT_LT(size, text.size());
    EXPECT_FALSE(Destination::resume(options, size + 1'000'000, false));
    auto destination = Destination::resume(options, size, false);
    ASSERT_TRUE(destination) << destination.error().message;
    ASSERT_TRUE(destination->write(bytes_of("end\n")));
    ASSERT_TRUE(destination->settle(true));
    size = destination->size();
    ASSERT_TRUE(destination->publish());
    EXPECT_TRUE(decompressed(file.path()) == text + "end\n");
    EXPECT_EQ(std::filesystem::file_size(file.path()), size);
    // Published already: a finished run that was killed later finds nothing to do.
    EXPECT_FALSE(Destination::resume(options, size, false));
    auto published = Destination::resume(options, size, true);
    ASSERT_TRUE(published);
    EXPECT_TRUE(published->settle(true));
    EXPECT_TRUE(published->publish());
    EXPECT_EQ(std::filesystem::file_size(file.path()), size);
  }
}

TEST(Destination, WritesAnEmptyFrameForNoRecords) {
  const TemporaryFile file{"old"};
  auto destination = Destination::open({file.path(), OutputCompression::kZstd, true});
  ASSERT_TRUE(destination);
  ASSERT_TRUE(destination->settle(true));
  ASSERT_TRUE(destination->publish());
  EXPECT_GT(std::filesystem::file_size(file.path()), 0U);
  EXPECT_EQ(decompressed(file.path()), "");
}

TEST(Destination, ChoosesTheCompressionByTheNameUnlessItIsGiven) {
  EXPECT_EQ((DestinationOptions{"a.jsonl.zst", {}}.chosen()), OutputCompression::kZstd);
  EXPECT_EQ((DestinationOptions{"a.gz", {}}.chosen()), OutputCompression::kGzip);
  EXPECT_EQ((DestinationOptions{"a.txt", {}}.chosen()), OutputCompression::kNone);
  EXPECT_EQ((DestinationOptions{"a.gz", OutputCompression::kNone}.chosen()),
            OutputCompression::kNone);
}

TEST(Destination, WritesToADeviceAsItIs) {
  auto destination = Destination::open({"/dev/null", {}});
  ASSERT_TRUE(destination);
  EXPECT_TRUE(destination->write(bytes_of("x")));
  EXPECT_TRUE(destination->settle(true));
  EXPECT_TRUE(destination->publish());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace bloomery::cli
