#include "bloomery/formats/parquet/delta.h"

#include <algorithm>

#include "bloomery/base/varint.h"
#include "bloomery/formats/parquet/bit_packing.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostBlock = std::uint64_t{1} << 24;

std::uint64_t from_zigzag(std::uint64_t value) { return (value >> 1) ^ (~(value & 1) + 1); }

Error broken_delta(std::string_view why) {
  return {ErrorCode::kMalformed, message("its deltas ", why)};
}

}  // namespace

Result<DeltaDecoder> DeltaDecoder::open(ByteView bytes, std::uint64_t max_count) {
  DeltaDecoder decoder{bytes};
  const auto block = read_varint(decoder.reader_);
  const auto parts = read_varint(decoder.reader_);
  const auto count = read_varint(decoder.reader_);
  const auto first = read_varint(decoder.reader_);
  if (!block || !parts || !count || !first) return broken_delta("end within their header");
  if (*parts == 0 || *block == 0 || *block > kMostBlock || *block % *parts != 0 ||
      *block / *parts % 8 != 0)
    return broken_delta(message("come in blocks of ", *block, " in ", *parts,
                                " parts; a part has a multiple of 8"));
  if (*count > max_count)
    return broken_delta(message("are ", *count, ", and the page has ", max_count, " values"));
  decoder.parts_ = *parts;
  decoder.part_values_ = *block / *parts;
  decoder.left_ = *count;
  decoder.last_ = from_zigzag(*first);
  return decoder;
}

bool DeltaDecoder::next_block() {
  const auto least = read_varint(reader_);
  if (!least) return false;
  least_ = from_zigzag(*least);
  widths_ = reader_.take(parts_);
  next_part_ = 0;
  return !reader_.failed();
}

bool DeltaDecoder::next_part() {
  if (next_part_ == widths_.size() && !next_block()) return false;
  width_ = std::to_integer<unsigned>(widths_[next_part_++]);
  if (width_ > 64) return false;
  part_ = reader_.take(part_values_ / 8 * width_);
  part_left_ = part_values_;
  return !reader_.failed();
}

bool DeltaDecoder::read(std::span<std::int64_t> into) {
  if (into.size() > left_) return false;
  while (!into.empty()) {
    if (is_first_) {
      is_first_ = false;
      into[0] = static_cast<std::int64_t>(last_);
      into = into.subspan(1);
      --left_;
      continue;
    }
    if (part_left_ == 0) {
      if (!next_part()) return false;
      continue;
    }
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(part_left_, into.size()));
    const auto from = static_cast<std::size_t>(part_values_ - part_left_);
    for (std::size_t i = 0; i < count; ++i) {
      last_ += least_ + (width_ == 0 ? 0 : internal::packed_at(part_, from + i, width_));
      into[i] = static_cast<std::int64_t>(last_);
    }
    part_left_ -= count;
    left_ -= count;
    into = into.subspan(count);
  }
  return true;
}

Result<ByteView> DeltaDecoder::behind() const {
  DeltaDecoder walk = *this;
  std::uint64_t left = walk.left_ == 0 ? 0 : walk.left_ - 1;
  while (left > 0) {
    if (!walk.next_part()) return broken_delta("end before their last block");
    left -= std::min(left, walk.part_values_);
  }
  return walk.reader_.rest();
}

}  // namespace bloomery
