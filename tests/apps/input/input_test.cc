#include "apps/input/input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "tests/apps/cli/temporary_file.h"
#include "tests/apps/input/compress.h"

namespace bloomery::input {
namespace {

using ::bloomery::testing::gzip;
using ::bloomery::testing::TemporaryFile;
using ::bloomery::testing::zstd;

// Everything, read in pieces of this many bytes; or "error: ...".
std::string read_all(Input& input, std::size_t piece) {
  std::string all;
  std::vector<std::byte> buffer(piece);
  for (;;) {
    const auto got = input.read(buffer);
    if (!got) return "error: " + got.error().message;
    if (*got == 0) return all;
    all += text_of(ByteView{buffer}.first(*got));
  }
}

std::string read_file_through(const std::string& bytes, std::size_t piece = 1000) {
  const TemporaryFile file{bytes};
  auto input = Input::open(file.path());
  return input ? read_all(*input, piece) : "error: " + input.error().message;
}

std::string many_lines() {
  std::string text;
  for (unsigned i = 0; i < 100'000; ++i) text += "line " + std::to_string(i * 7919U) + "\n";
  return text;
}

TEST(Input, ReadsPlainGzipAndZstdAlike) {
  const std::string text = many_lines();
  for (const std::size_t piece : {std::size_t{7}, std::size_t{4096}, std::size_t{1} << 21}) {
    EXPECT_EQ(read_file_through(text, piece), text);
    EXPECT_EQ(read_file_through(gzip(text), piece), text);
    EXPECT_EQ(read_file_through(zstd(text), piece), text);
  }
}

TEST(Input, ReadsTheShortestFiles) {
  for (const std::string text : {"", "a", "(", "BZh", "P*M", "\x1f", "\x1f\x8b", "\x28\xb5\x2f"}) {
    EXPECT_EQ(read_file_through(gzip(text)), text);
    EXPECT_EQ(read_file_through(zstd(text)), text);
    if (cut_compression(bytes_of(text))) continue;
    EXPECT_EQ(read_file_through(text), text);
  }
}

TEST(Input, JoinsConcatenatedMembers) {
  EXPECT_EQ(read_file_through(gzip("one\n") + gzip("") + gzip("two\n")), "one\ntwo\n");
  EXPECT_EQ(read_file_through(zstd("one\n") + zstd("") + zstd("two\n")), "one\ntwo\n");
}

TEST(Input, TakesZerosAfterGzipForPaddingAndNothingElse) {
  EXPECT_EQ(read_file_through(gzip("one\n") + std::string(1000, '\0')), "one\n");
  EXPECT_EQ(read_file_through(gzip("one\n") + "garbage").substr(0, 6), "error:");
}

TEST(Input, NoticesEveryTruncation) {
  for (const std::string& packed : {gzip("some text\n"), zstd("some text\n")})
    for (std::size_t size = 4; size < packed.size(); ++size)
      EXPECT_EQ(read_file_through(packed.substr(0, size)).substr(0, 6), "error:") << size;
}

TEST(Input, NoticesDamage) {
  std::string packed = gzip(many_lines());
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x10);
  EXPECT_EQ(read_file_through(packed).substr(0, 6), "error:");
}

TEST(Input, NamesTheFileThatIsMissing) {
  const auto input = Input::open("/nonexistent/file");
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().code, ErrorCode::kIo);
  EXPECT_EQ(input.error().message, "/nonexistent/file: cannot open: No such file or directory");
}

TEST(Input, PutsBackWhatItReadOfAFileThatIsRedirected) {
  for (const std::string& bytes :
       {std::string{"plain text"}, gzip("plain text"), zstd("plain text")}) {
    const TemporaryFile file{bytes};
    const int keep = ::dup(STDIN_FILENO);
    const int redirected = ::open(file.path().c_str(), O_RDONLY);
    ASSERT_EQ(::dup2(redirected, STDIN_FILENO), STDIN_FILENO);
    for (int round = 0; round < 2; ++round) {
      auto input = Input::open("-");
      ASSERT_TRUE(input);
      EXPECT_EQ(input->file_bytes(), bytes.size());
      EXPECT_EQ(read_all(*input, 3), "plain text");
      EXPECT_EQ(input->consumed_bytes(), bytes.size());
      ASSERT_TRUE(input->put_back());
    }
    ::dup2(keep, STDIN_FILENO);
    ::close(keep);
    ::close(redirected);
  }
}

TEST(Input, SkipsInAPlainFile) {
  const TemporaryFile file{"0123456789"};
  auto input = Input::open(file.path());
  ASSERT_TRUE(input);
  ASSERT_TRUE(input->skip_to(7));
  EXPECT_EQ(read_all(*input, 2), "789");
}

}  // namespace
}  // namespace bloomery::input
