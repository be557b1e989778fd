#include "apps/cli/records/chunk.h"

#include <algorithm>
#include <cstring>

#include "apps/cli/records/split.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kSpare = 2;  // CR LF

}  // namespace

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
  // A little more than is read: the end that the last record may lack. A buffer that grew for a
  // long record is given back.
  const std::size_t wanted = std::max(chunk_bytes_, end_of_bytes * 2) + kSpare;
  if (chunk.buffer.size() != wanted) chunk.buffer.resize(wanted, 0);
  std::ranges::copy(unfinished_, chunk.buffer.data());
  unfinished_.clear();
  for (;;) {
    if (csv_ && end_of_bytes > csv_->dialect.max_row_bytes)
      return input::row_too_long(csv_->dialect, lines_ + 1, handed_out_ + 1);
    if (end_of_bytes + kSpare == chunk.buffer.size())
      chunk.buffer.resize(chunk.buffer.size() * 2, end_of_bytes);
    const auto got =
        read_({chunk.buffer.data() + end_of_bytes, chunk.buffer.size() - kSpare - end_of_bytes});
    if (!got) return got.error();
    if (*got == 0) return end(chunk, end_of_bytes);
    const std::size_t searched = std::exchange(end_of_bytes, end_of_bytes + *got);
    const ByteView bytes{chunk.buffer.data(), end_of_bytes};
    const std::size_t begin = split(bytes, searched, chunk.records);
    if (chunk.records.empty()) continue;
    unfinished_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.end());
    handed_out_ += begin;
    if (csv_) lines_ += input::lines_in(bytes.first(begin));
    return true;
  }
}

std::size_t ChunkReader::split(ByteView bytes, std::size_t searched,
                               std::vector<ByteView>& records) {
  if (!csv_) return split_records(bytes, 0, searched, delimiter_, records);
  const std::size_t begin = csv_->splitter.split(bytes, 0, searched, records);
  if (csv_->is_first && !records.empty()) {
    csv_->is_first = false;
    csv_->has_returns = !records.front().empty() && records.front().back() == std::byte{'\r'};
  }
  return begin;
}

bool ChunkReader::end(Chunk& chunk, std::size_t size) {
  at_end_ = true;
  if (size == 0) return false;
  std::byte* const bytes = chunk.buffer.data();
  handed_out_ += size;
  if (csv_) lines_ += input::lines_in({bytes, size});
  // A row gets the end that the others have; not inside of quotes, where it would be text.
  if (csv_ && csv_->has_returns && !csv_->splitter.is_quoted() &&
      bytes[size - 1] != std::byte{'\r'})
    bytes[size++] = std::byte{'\r'};
  bytes[size] = delimiter_;
  chunk.records.emplace_back(bytes, size);
  return true;
}

Result<bool> ColumnChunkReader::next(Chunk& chunk) {
  chunk.records.clear();
  const auto batch = column_->next();
  if (!batch) return batch.error();
  if (batch->records.empty()) return false;
  std::size_t size = batch->records.size();  // their delimiters
  for (const ByteView record : batch->records) size += record.size();
  const std::size_t wanted = std::max(size, ChunkReader::kChunkBytes);
  // A buffer that grew for long values is given back.
  if (chunk.buffer.size() < wanted || chunk.buffer.size() > wanted * 4)
    chunk.buffer.resize(wanted, 0);
  std::byte* to = chunk.buffer.data();
  for (const ByteView record : batch->records) {
    chunk.records.emplace_back(to, record.size());
    to = std::ranges::copy(record, to).out;
    *to++ = delimiter_;
  }
  handed_out_ += size;
  return true;
}

}  // namespace bloomery::cli
