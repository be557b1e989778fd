#include "bloomery/formats/parquet/hybrid.h"

#include <algorithm>

#include "bloomery/base/varint.h"
#include "bloomery/formats/parquet/bit_packing.h"

namespace bloomery {

bool HybridDecoder::next_run() {
  const auto head = read_varint(reader_);
  if (!head) return false;
  is_packed_ = (*head & 1) != 0;
  left_ = *head >> 1;
  if (is_packed_) {
    // Groups of eight. A writer may leave out the bytes behind the last number.
    const std::uint64_t most = reader_.remaining();
    const std::uint64_t bytes = left_ > most / width_ ? most : left_ * width_;
    left_ = bytes * 8 / width_;
    packed_ = reader_.take(bytes);
    next_packed_ = 0;
    return true;
  }
  value_ = 0;
  for (unsigned i = 0; i < (width_ + 7) / 8; ++i)
    value_ |= std::uint32_t{reader_.le<std::uint8_t>()} << (8 * i);
  return !reader_.failed();
}

bool HybridDecoder::read(std::span<std::uint32_t> into) {
  if (width_ == 0) {
    std::ranges::fill(into, 0U);
    return true;
  }
  while (!into.empty()) {
    if (left_ == 0) {
      if (!next_run()) return false;
      continue;
    }
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, into.size()));
    if (is_packed_) {
      for (std::size_t i = 0; i < count; ++i)
        into[i] =
            static_cast<std::uint32_t>(internal::packed_at(packed_, next_packed_ + i, width_));
      next_packed_ += count;
    } else {
      std::fill_n(into.begin(), count, value_);
    }
    left_ -= count;
    into = into.subspan(count);
  }
  return true;
}

}  // namespace bloomery
