#include "apps/cli/records/input_queue.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/apps/cli/temporary_file.h"
#include "tests/apps/input/compress.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

std::vector<InputFile> files_of(const std::vector<std::string>& paths, std::uint32_t threads) {
  std::vector<InputFile> files;
  for (const std::string& path : paths) {
    files.push_back({path, std::uint64_t{1} << 20, {}});
    files.back().how.threads = threads;
  }
  return files;
}

std::string next_text(InputQueue& queue) {
  auto input = queue.next();
  if (!input) return "the end";
  if (!*input) return "error";
  std::vector<std::byte> bytes(1000);
  std::string text;
  for (;;) {
    const auto got = (*input)->read(bytes);
    if (!got || *got == 0) return text;
    text += text_of(ByteView{bytes}.first(*got));
  }
}

TEST(InputQueue, GivesInputsInTheirOrder) {
  const TemporaryFile plain{"plain"};
  const TemporaryFile packed{testing::gzip("packed")};
  for (const std::uint32_t threads : {1, 2, 8}) {
    InputQueue queue{
        files_of({packed.path(), plain.path(), "/no/such/file", plain.path()}, threads)};
    EXPECT_EQ(next_text(queue), "packed");
    EXPECT_EQ(next_text(queue), "plain");
    EXPECT_EQ(next_text(queue), "error");
    EXPECT_EQ(next_text(queue), "plain");
    EXPECT_EQ(next_text(queue), "the end");
  }
}

// With two threads, the input behind the first is open, and so does not miss its name.
TEST(InputQueue, OpensAsManyInputsAsThereAreThreads) {
  for (const std::uint32_t threads : {1, 2, 3}) {
    const TemporaryFile first{"first"};
    std::optional<TemporaryFile> second{std::in_place, "second"};
    std::optional<TemporaryFile> third{std::in_place, "third"};
    InputQueue queue{files_of({first.path(), second->path(), third->path()}, threads)};
    EXPECT_EQ(next_text(queue), "first");
    second.reset();
    third.reset();
    EXPECT_EQ(next_text(queue), threads > 1 ? "second" : "error");
    EXPECT_EQ(next_text(queue), threads > 2 ? "third" : "error");
  }
}

// Another process may wait for the opening of its pipe.
TEST(InputQueue, OpensAPipeWhenItsTurnComes) {
  const TemporaryFile first{"first"};
  std::vector<InputFile> files = files_of({first.path(), "/no/such/pipe"}, 4);
  files.back().bytes = std::nullopt;
  InputQueue queue{files};
  EXPECT_EQ(next_text(queue), "first");
  const TemporaryFile other{"other"};
  EXPECT_EQ(next_text(queue), "error");
}

}  // namespace
}  // namespace bloomery::cli
