#include "apps/input/records.h"

#include <algorithm>
#include <cstring>

namespace bloomery::input {
namespace {

constexpr std::size_t kFirstBytes = std::size_t{1} << 20;

}  // namespace

// Line by line, as fast without optimisation as with it.
std::uint64_t lines_in(ByteView bytes) {
  std::uint64_t lines = 0;
  while (!bytes.empty()) {
    const void* end = std::memchr(bytes.data(), '\n', bytes.size());
    if (end == nullptr) break;
    ++lines;
    bytes = bytes.subspan(
        static_cast<std::size_t>(static_cast<const std::byte*>(end) - bytes.data()) + 1);
  }
  return lines;
}

void RecordCounter::add(ByteView bytes) {
  if (bytes.empty()) return;
  if (rows_) return rows_->add(bytes);
  delimiters_ += static_cast<std::uint64_t>(std::ranges::count(bytes, delimiter_));
  ends_in_record_ = bytes.back() != delimiter_;
}

std::uint64_t RecordCounter::records() const {
  const std::uint64_t all = rows_ ? rows_->rows() : delimiters_ + (ends_in_record_ ? 1 : 0);
  return all - std::min<std::uint64_t>(all, has_header_ ? 1 : 0);
}

Result<std::span<const ByteView>> RecordReader::next() {
  leave_batch();
  records_.clear();
  while (!take_whole_records()) {
    if (at_end_) {
      take_last();
      break;
    }
    if (auto filled = fill(); !filled)
      return at_place(filled.error(), input_->name(), csv_ ? "row" : "record", handed_out_ + 1);
  }
  handed_out_ += records_.size();
  return std::span<const ByteView>{records_};
}

// What the last call handed out is behind us.
void RecordReader::leave_batch() {
  const ByteView batch = ByteView{buffer_}.subspan(batch_begin_, begin_ - batch_begin_);
  bytes_before_ += batch.size();
  if (csv_) lines_before_ += lines_in(batch);
  batch_begin_ = begin_;
}

std::uint64_t RecordReader::lines_before(const std::byte* place) const {
  const std::byte* const start = buffer_.data() + batch_begin_;
  return lines_before_ + static_cast<std::uint64_t>(std::count(start, place, std::byte{'\n'}));
}

void RecordReader::take_last() {
  if (begin_ != end_) records_.push_back(ByteView{buffer_}.subspan(begin_, end_ - begin_));
  begin_ = searched_ = end_;
}

void RecordReader::take_rows() {
  begin_ = csv_->splitter.split(ByteView{buffer_}.first(end_), begin_, searched_, records_,
                                kBatchRecords);
}

bool RecordReader::take_whole_records() {
  if (csv_) {
    take_rows();
    return !records_.empty();
  }
  while (records_.size() < kBatchRecords && searched_ < end_) {
    const void* found =
        std::memchr(buffer_.data() + searched_, std::to_integer<int>(delimiter_), end_ - searched_);
    if (found == nullptr) {
      searched_ = end_;
      break;
    }
    const auto stop =
        static_cast<std::size_t>(static_cast<const std::byte*>(found) - buffer_.data());
    records_.push_back(ByteView{buffer_}.subspan(begin_, stop - begin_));
    begin_ = searched_ = stop + 1;
  }
  return !records_.empty();
}

// Moves what is left to the front; doubles the buffer when one record fills it.
Status RecordReader::fill() {
  if (csv_ && end_ - begin_ > csv_->dialect.max_row_bytes)
    return row_too_long(csv_->dialect, lines_before_ + 1, bytes_before_ + 1);
  if (begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    searched_ -= begin_;
    end_ -= begin_;
    begin_ = batch_begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(std::max(kFirstBytes, buffer_.size() * 2));
  const auto got = input_->read(ByteSpan{buffer_}.subspan(end_));
  if (!got) return got.error();
  end_ += *got;
  at_end_ = *got == 0;
  return ok();
}

}  // namespace bloomery::input
