#include "apps/ethlog/block_numbers.h"

#include <array>
#include <bit>
#include <cassert>

#include "bloomery/base/endian.h"

namespace bloomery::ethlog {
namespace {

// Block 0 in the highest bit; past the end zeros.
std::uint64_t word_at(ByteView bits, std::size_t at) {
  if (at + 8 <= bits.size()) return load_be<std::uint64_t>(bits.data() + at);
  std::array<std::byte, 8> padded{};
  std::memcpy(padded.data(), bits.data() + at, bits.size() - at);
  return load_be<std::uint64_t>(padded.data());
}

}  // namespace

void append_blocks(ByteView bits, std::uint64_t section_start, std::uint64_t first,
                   std::uint64_t last, std::vector<std::uint64_t>& blocks) {
  assert(section_start <= first && first <= last && last - section_start < 8 * bits.size());
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const std::size_t begin = static_cast<std::size_t>(first - section_start);
  const std::size_t end = static_cast<std::size_t>(last - section_start);
  std::array<std::uint64_t, 64> found;
  for (std::size_t i = begin / 64; i <= end / 64; ++i) {
    std::uint64_t word = word_at(bits, 8 * i);
    if (i == begin / 64) word &= kAll >> (begin % 64);
    if (i == end / 64) word &= kAll << (63 - end % 64);
    if (word == 0) continue;
    // From the last block to the first: the lowest bit is the cheapest to find.
    std::size_t at = found.size();
    const std::uint64_t last_of_word = section_start + 64 * i + 63;
    for (; word != 0; word &= word - 1)
      found[--at] = last_of_word - static_cast<unsigned>(std::countr_zero(word));
    blocks.insert(blocks.end(), found.begin() + static_cast<std::ptrdiff_t>(at), found.end());
  }
}

}  // namespace bloomery::ethlog
