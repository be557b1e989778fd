#include "bloomery/formats/index/bit_runs.h"

#include <algorithm>
#include <cstring>

#include "bloomery/base/endian.h"

namespace bloomery::internal {
namespace {

// `count` bits, at most eight, from `bit` on, as the highest of a byte.
unsigned eight_bits(const std::byte* from, std::uint64_t bit, unsigned count) {
  const std::byte* at = from + bit / 8;
  const auto skip = static_cast<unsigned>(bit % 8);
  unsigned taken = static_cast<unsigned>(at[0]) << skip;
  if (skip + count > 8) taken |= static_cast<unsigned>(at[1]) >> (8 - skip);
  return taken & 0xffU & (0xff00U >> count);
}

}  // namespace

void copy_bits(const std::byte* from, std::uint64_t from_bit, std::byte* to, std::uint64_t to_bit,
               std::uint64_t count) {
  while (count > 0) {
    const auto place = static_cast<unsigned>(to_bit % 8);
    std::byte* const into = to + to_bit / 8;
    if (place == 0 && from_bit % 8 == 0 && count >= 8) {
      std::memcpy(into, from + from_bit / 8, static_cast<std::size_t>(count / 8));
      from_bit += count / 8 * 8;
      to_bit += count / 8 * 8;
      count %= 8;
      continue;
    }
    // Whole words: 64 bits lie in nine bytes of `from`, all of them the run's.
    if (place == 0 && count >= 64) {
      const std::byte* const at = from + from_bit / 8;
      const auto skip = static_cast<unsigned>(from_bit % 8);
      const std::uint64_t word =
          load_be<std::uint64_t>(at) << skip | static_cast<std::uint64_t>(at[8]) >> (8 - skip);
      store_be(into, word);
      from_bit += 64;
      to_bit += 64;
      count -= 64;
      continue;
    }
    const auto step = static_cast<unsigned>(std::min<std::uint64_t>(count, 8 - place));
    *into |= static_cast<std::byte>(eight_bits(from, from_bit, step) >> place);
    from_bit += step;
    to_bit += step;
    count -= step;
  }
}

std::vector<BitRun> runs_of_zeros(ByteView bits, std::uint64_t count) {
  std::vector<BitRun> runs;
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool is_set =
        (static_cast<unsigned>(bits[static_cast<std::size_t>(i / 8)]) >> (7 - i % 8) & 1U) != 0;
    if (is_set) continue;
    if (!runs.empty() && runs.back().first + runs.back().count == i)
      ++runs.back().count;
    else
      runs.push_back({i, 1});
  }
  return runs;
}

}  // namespace bloomery::internal
