#include "apps/input/records.h"

#include <algorithm>
#include <cstring>

namespace bloomery::input {
namespace {

constexpr std::size_t kFirstBytes = std::size_t{1} << 20;

}  // namespace

Result<std::span<const ByteView>> RecordReader::next() {
  records_.clear();
  while (!take_whole_records()) {
    if (at_end_) {
      if (begin_ != end_) records_.push_back(ByteView{buffer_}.subspan(begin_, end_ - begin_));
      begin_ = searched_ = end_;
      break;
    }
    if (auto filled = fill(); !filled)
      return at_place(filled.error(), input_->name(), "record", handed_out_ + 1);
  }
  handed_out_ += records_.size();
  return std::span<const ByteView>{records_};
}

bool RecordReader::take_whole_records() {
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
  if (begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    searched_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(std::max(kFirstBytes, buffer_.size() * 2));
  const auto got = input_->read(ByteSpan{buffer_}.subspan(end_));
  if (!got) return got.error();
  end_ += *got;
  at_end_ = *got == 0;
  return ok();
}

}  // namespace bloomery::input
