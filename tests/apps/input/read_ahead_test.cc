#include "apps/input/read_ahead.h"

#include <gtest/gtest.h>

#include <chrono>
#include <new>
#include <thread>

#include "apps/input/input.h"
#include "apps/input/records.h"
#include "tests/apps/cli/temporary_file.h"
#include "tests/apps/input/byte_pipe.h"
#include "tests/apps/input/compress.h"

namespace bloomery::input {
namespace {

using ::bloomery::testing::TemporaryFile;

std::string rest_of(Input& input, std::size_t piece) {
  std::string all;
  std::vector<std::byte> buffer(piece);
  for (;;) {
    const auto got = input.read(buffer);
    if (!got) return all + "|" + got.error().message;
    if (*got == 0) return all;
    all += text_of(ByteView{buffer}.first(*got));
  }
}

std::string lines_to_read() {
  std::string text;
  for (unsigned i = 0; i < 200'000; ++i) text += "line " + std::to_string(i * 7919U) + "\n";
  return text;
}

TEST(ReadAhead, GivesTheBytesThatAreReadWithoutIt) {
  const std::string text = lines_to_read();
  for (const std::string& bytes : {text, testing::gzip(text), testing::zstd(text), std::string{}})
    for (const std::size_t most : {std::size_t{1}, std::size_t{1} << 20})
      for (const std::size_t piece : {std::size_t{1000}, std::size_t{1} << 20}) {
        const TemporaryFile file{bytes};
        auto input = Input::open(file.path());
        ASSERT_TRUE(input);
        input->read_ahead(most);
        const std::string all = rest_of(*input, piece);
        EXPECT_TRUE(all == (bytes.empty() ? "" : text)) << all.size();
        EXPECT_EQ(input->consumed_bytes(), bytes.size());
      }
}

// A rest of a few bytes at the end of each block would be a chunk of its own.
TEST(ReadAhead, FillsWhatThereIsRoomForFromSeveralBlocks) {
  const std::string text = lines_to_read();
  const TemporaryFile file{text};
  auto input = Input::open(file.path());
  ASSERT_TRUE(input);
  input->read_ahead(std::size_t{8} << 20);
  std::vector<std::byte> buffer(ReadAhead::kBlockBytes - 100);
  std::size_t reads = 0;
  for (;; ++reads) {
    const auto got = input->read(buffer);
    ASSERT_TRUE(got);
    if (*got == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  EXPECT_LE(reads, text.size() / buffer.size() + 3);
}

TEST(ReadAhead, ReportsTruncatedDataBehindTheBytesBeforeThem) {
  const std::string text = lines_to_read();
  std::string packed = testing::gzip(text);
  packed.resize(packed.size() / 2);
  const TemporaryFile file{packed};
  auto plainly = Input::open(file.path());
  auto ahead = Input::open(file.path());
  ASSERT_TRUE(plainly && ahead);
  ahead->read_ahead(std::size_t{1} << 20);
  const std::string expected = rest_of(*plainly, 4096);
  EXPECT_NE(expected.find("|" + file.path() + ": the gzip data end early"), std::string::npos);
  EXPECT_TRUE(rest_of(*ahead, 5000) == expected);
}

TEST(ReadAhead, CountsTheBytesBehindWhatWasGiven) {
  const TemporaryFile file{lines_to_read()};
  auto input = Input::open(file.path());
  ASSERT_TRUE(input);
  input->read_ahead(std::size_t{4} << 20);
  std::vector<std::byte> buffer(10);
  ASSERT_TRUE(input->read(buffer));
  EXPECT_GT(input->consumed_bytes(), 0U);
  EXPECT_LE(input->consumed_bytes(), ReadAhead::kBlockBytes);
}

TEST(ReadAhead, EndsWhileItWaitsForAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "first line\n", 11), 11);
  {
    auto input = Input::open("/dev/fd/" + std::to_string(ends[0]));
    ASSERT_TRUE(input);
    input->read_ahead(std::size_t{1} << 20);
    RecordReader reader{*input, std::byte{'\n'}};
    const auto records = reader.next();  // what has arrived, although more may come
    ASSERT_TRUE(records);
    ASSERT_EQ(records->size(), 1U);
  }  // and nothing hangs
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(ReadAhead, ReadsAPipeToItsEnd) {
  const std::string text = lines_to_read();
  const testing::BytePipe pipe{testing::gzip(text), 777};
  auto input = Input::open(pipe.path());
  ASSERT_TRUE(input);
  input->read_ahead(std::size_t{1} << 20);
  EXPECT_TRUE(rest_of(*input, 4096) == text);
}

TEST(ReadAhead, HandsAnExceptionToTheConsumer) {
  ReadAhead ahead{{[](ByteSpan) -> Result<std::size_t> { throw std::bad_alloc{}; },
                   [] { return std::uint64_t{0}; }, [] {}},
                  1};
  std::vector<std::byte> buffer(10);
  EXPECT_THROW((void)ahead.read(buffer), std::bad_alloc);
}

}  // namespace
}  // namespace bloomery::input
