// Small counters packed into bytes: counter i in bits [i*c, i*c+c), low bits first. A counter at
// its maximum is stuck: it no longer knows its number, so it never changes again.
#pragma once
#include <algorithm>
#include <bit>
#include <cassert>

#include "bloomery/base/endian.h"

namespace bloomery {

template <unsigned kBits>
requires(kBits == 2 || kBits == 4 || kBits == 8) class Counters {
 public:
  static constexpr unsigned kMax = (1U << kBits) - 1;
  static constexpr std::uint64_t kPerByte = 8 / kBits;
  // Whole 64-bit words, as the bits of a classic filter.
  static constexpr std::uint64_t bytes_for(std::uint64_t counters) {
    constexpr std::uint64_t kPerWord = 64 / kBits;
    return counters / kPerWord * 8 + (counters % kPerWord != 0 ? 8 : 0);
  }

  static unsigned get(ByteView bytes, std::uint64_t i) {
    return static_cast<unsigned>(bytes[byte_of(i)]) >> shift(i) & kMax;
  }
  static void set(ByteSpan bytes, std::uint64_t i, unsigned value) {
    assert(value <= kMax);
    const auto rest = static_cast<unsigned>(bytes[byte_of(i)]) & ~(kMax << shift(i));
    bytes[byte_of(i)] = static_cast<std::byte>(rest | value << shift(i));
  }
  // Precondition of both: whole 8-byte words, zero past the last counter.
  static std::uint64_t count_non_zero(ByteView bytes) {
    return count_words(bytes, [](std::uint64_t word) {
      for (unsigned half = kBits / 2; half > 0; half /= 2) word |= word >> half;
      return word & kLowBits;
    });
  }
  static std::uint64_t count_stuck(ByteView bytes) {
    return count_words(bytes, [](std::uint64_t word) {
      for (unsigned half = kBits / 2; half > 0; half /= 2) word &= word >> half;
      return word & kLowBits;
    });
  }
  // Sums, stuck where the sum is too large or either was. Precondition: equal sizes.
  static void add(ByteSpan into, ByteView from) {
    for (std::uint64_t i = 0; i < into.size() * kPerByte; ++i)
      if (const unsigned more = get(from, i); more != 0)
        set(into, i, std::min(kMax, get(into, i) + more));
  }

 private:
  static constexpr std::uint64_t kLowBits = UINT64_MAX / kMax;  // the lowest bit of each counter

  static std::size_t byte_of(std::uint64_t i) { return static_cast<std::size_t>(i / kPerByte); }
  static unsigned shift(std::uint64_t i) { return static_cast<unsigned>(i % kPerByte) * kBits; }
  template <class Mark>
  static std::uint64_t count_words(ByteView bytes, Mark mark) {
    std::uint64_t marked = 0;
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8)
      marked +=
          static_cast<unsigned>(std::popcount(mark(load_le<std::uint64_t>(bytes.data() + at))));
    return marked;
  }
};

}  // namespace bloomery
