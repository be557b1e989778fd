#include "apps/cli/dedup/chunk.h"

#include <algorithm>
#include <cstring>

#include "apps/cli/dedup/split.h"

namespace bloomery::cli {

void ChunkBuffer::resize(std::size_t size, std::size_t kept) {
  auto larger = std::make_unique_for_overwrite<std::byte[]>(size);
  if (kept != 0) std::memcpy(larger.get(), data_.get(), kept);
  data_ = std::move(larger);
  size_ = size;
}

Result<bool> ChunkReader::next(Chunk& chunk) {
  chunk.records.clear();
  if (at_end_) return false;
  std::size_t end_of_bytes = unfinished_.size();
  // One byte more than is read: the delimiter that the last record may lack. A buffer that grew for
  // a long record is given back.
  const std::size_t wanted = std::max(chunk_bytes_, end_of_bytes * 2) + 1;
  if (chunk.buffer.size() != wanted) chunk.buffer.resize(wanted, 0);
  std::ranges::copy(unfinished_, chunk.buffer.data());
  unfinished_.clear();
  for (;;) {
    if (end_of_bytes + 1 == chunk.buffer.size())
      chunk.buffer.resize(chunk.buffer.size() * 2, end_of_bytes);
    const auto got =
        read_({chunk.buffer.data() + end_of_bytes, chunk.buffer.size() - 1 - end_of_bytes});
    if (!got) return got.error();
    if (*got == 0) return end(chunk, end_of_bytes);
    const std::size_t searched = std::exchange(end_of_bytes, end_of_bytes + *got);
    const ByteView bytes{chunk.buffer.data(), end_of_bytes};
    const std::size_t begin = split_records(bytes, 0, searched, delimiter_, chunk.records);
    if (chunk.records.empty()) continue;
    unfinished_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.end());
    handed_out_ += begin;
    return true;
  }
}

bool ChunkReader::end(Chunk& chunk, std::size_t size) {
  at_end_ = true;
  if (size == 0) return false;
  chunk.buffer.data()[size] = delimiter_;
  chunk.records.emplace_back(chunk.buffer.data(), size);
  handed_out_ += size;
  return true;
}

}  // namespace bloomery::cli
