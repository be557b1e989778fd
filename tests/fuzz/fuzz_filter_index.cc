// An index of filters, as it is and with its checksums put right: what is opened answers for every
// key with columns that it has, and its directory is written back as it was.
#include <algorithm>
#include <vector>

#include "bloomery/base/endian.h"
#include "bloomery/formats/index/index.h"
#include "bloomery/hash/xxh.h"
#include "tests/fuzz/require.h"

namespace {

using namespace bloomery;
using fuzz::require;

constexpr std::size_t kFileBytes = 16;
constexpr std::size_t kDirectoryOffset = 24;
constexpr std::size_t kDirectoryBytes = 32;
constexpr std::size_t kDirectoryChecksum = 40;
constexpr std::size_t kShape = 64;
constexpr std::size_t kSegments = 8;  // of the directory: their rows, 48 bytes each
constexpr std::size_t kSegmentBytes = 48;

std::uint64_t word_at(const std::vector<std::byte>& bytes, std::size_t at) {
  return load_le<std::uint64_t>(bytes.data() + at);
}

// The sum of a range, where the range is in the file.
void put_sum(std::vector<std::byte>& bytes, std::uint64_t from, std::uint64_t size,
             std::size_t at) {
  if (from > bytes.size() || size > bytes.size() - from) return;
  store_le(bytes.data() + at, xxh3_64(ByteView{bytes}.subspan(static_cast<std::size_t>(from),
                                                              static_cast<std::size_t>(size))));
}

std::vector<std::byte> with_right_sums(ByteView input) {
  std::vector<std::byte> bytes{input.begin(), input.end()};
  if (bytes.size() < kIndexHeaderBytes) return bytes;
  put_sum(bytes, kShape, kNativeHeaderBytes - 8, kShape + kNativeHeaderBytes - 8);
  const std::uint64_t directory = word_at(bytes, kDirectoryOffset);
  const std::uint64_t rows = word_at(bytes, kShape + offsetof(NativeHeader, bits));
  const bool is_there = directory <= bytes.size() && bytes.size() - directory >= kSegments;
  for (std::size_t i = 0; is_there && i < 4; ++i) {
    const auto at = static_cast<std::size_t>(directory) + kSegments + i * kSegmentBytes;
    if (at + kSegmentBytes > bytes.size()) break;
    IndexSegment segment;
    segment.offset = word_at(bytes, at);
    segment.columns = word_at(bytes, at + 8);
    segment.names_bytes = word_at(bytes, at + 24);
    const auto is_long = [&](std::uint64_t value) { return value > bytes.size(); };
    if (is_long(segment.offset) || is_long(segment.columns) || is_long(rows)) break;
    put_sum(bytes, segment.names_offset(rows), segment.names_bytes, at + 32);
  }
  if (is_there) put_sum(bytes, directory, word_at(bytes, kDirectoryBytes), kDirectoryChecksum);
  put_sum(bytes, 0, kIndexHeaderBytes - 8, kIndexHeaderBytes - 8);
  return bytes;
}

void use(ByteView bytes) {
  const auto index = IndexView::open(bytes, {.limits = {.max_bytes = 1 << 20}});
  if (!index) {
    require(!index.error().message.empty());
    return;
  }
  const IndexDirectory& directory = index->directory();
  require(std::ranges::equal(
      encode_index_directory(directory.segments),
      bytes.subspan(static_cast<std::size_t>(directory.header.directory_offset),
                    static_cast<std::size_t>(directory.header.directory_bytes))));
  require(
      std::ranges::equal(encode_index_header(directory.header), bytes.first(kIndexHeaderBytes)));
  require(directory.live_bytes() <= load_le<std::uint64_t>(bytes.data() + kFileBytes));
  const ByteView keys[] = {bytes_of("apple"), bytes_of(""), bytes.first(8)};
  IndexAnswers answers;
  index->find(keys, answers);
  require(answers.size() == std::size(keys));
  for (std::size_t i = 0; i < answers.size(); ++i)
    for (const std::uint64_t column : answers[i]) {
      require(column < index->columns() && !index->is_deleted(column));
      require(!index->filter(column).name.empty());
    }
  require(index->expected_false_hits() <= static_cast<double>(index->filters()));
  (void)index->verify();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input = std::as_bytes(std::span{data, size});
  use(input);
  use(with_right_sums(input));
  return 0;
}
