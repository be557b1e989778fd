// The Keccak-f[1600] permutation in the lanes of vector registers, one key per lane, for every
// instruction set alike. Included by each instruction set's file on its own, so nothing here may be
// compiled once and shared: it all lies in an unnamed namespace.
#pragma once
#include <array>

#include "bloomery/hash/keccak.h"
#include "bloomery/hash/partial_load.h"
#include "bloomery/simd/block_kernels.h"
#include "bloomery/simd/keccak_rows.h"

namespace bloomery::simd {
namespace {

inline constexpr std::size_t kStateWords = 25;
inline constexpr std::size_t kBlockWords = 17;  // the rate: 136 bytes
inline constexpr std::size_t kDigestWords = 4;
inline constexpr std::size_t kRounds = 24;
inline constexpr std::size_t kLongestInOneBlock = 8 * kBlockWords - 1;  // one byte for the padding

// Word x + 5y comes from place `source` and is rotated: the walk of FIPS 202, rho and pi.
struct Walk {
  std::array<std::size_t, kStateWords> source;
  std::array<int, kStateWords> rotation;
};
constexpr Walk make_walk() {
  Walk walk{};
  std::size_t x = 1;
  std::size_t y = 0;
  for (std::size_t t = 0; t < 24; ++t) {
    const std::size_t next = (2 * x + 3 * y) % 5;
    walk.source[y + 5 * next] = x + 5 * y;
    walk.rotation[y + 5 * next] = static_cast<int>((t + 1) * (t + 2) / 2 % 64);
    x = y;
    y = next;
  }
  return walk;
}
inline constexpr Walk kWalk = make_walk();

// The bits of a shift register with polynomial 0x171, seven for each round (FIPS 202, iota).
constexpr std::array<std::uint64_t, kRounds> make_round_constants() {
  std::array<std::uint64_t, kRounds> constants{};
  unsigned shift_register = 1;
  for (std::uint64_t& constant : constants)
    for (unsigned j = 0; j < 7; ++j) {
      if ((shift_register & 1) != 0) constant |= std::uint64_t{1} << ((1U << j) - 1);
      shift_register <<= 1;
      if ((shift_register & 0x100) != 0) shift_register ^= 0x171;
    }
  return constants;
}
inline constexpr auto kRoundConstants = make_round_constants();

template <class Isa>
struct Sponges {
  using Lane = typename Isa::Lane;
  static constexpr std::size_t kLanes = sizeof(Lane) / sizeof(std::uint64_t);
  using State = Lane[kStateWords];

  template <std::size_t kAt>
  BLOOMERY_INLINE static Lane moved(const State& state, const Lane (&column)[5]) {
    constexpr std::size_t kSource = kWalk.source[kAt];
    return Isa::template rotate<kWalk.rotation[kAt]>(
        Isa::exclusive_or(state[kSource], column[kSource % 5]));
  }
  // Five words from start to end, before the next five: as many registers become free as are taken.
  template <std::size_t kAt>
  BLOOMERY_INLINE static void plane(const State& state, const Lane (&column)[5], State& next) {
    const Lane a = moved<kAt>(state, column);
    const Lane b = moved<kAt + 1>(state, column);
    const Lane c = moved<kAt + 2>(state, column);
    const Lane d = moved<kAt + 3>(state, column);
    const Lane e = moved<kAt + 4>(state, column);
    next[kAt] = Isa::chi(a, b, c);
    next[kAt + 1] = Isa::chi(b, c, d);
    next[kAt + 2] = Isa::chi(c, d, e);
    next[kAt + 3] = Isa::chi(d, e, a);
    next[kAt + 4] = Isa::chi(e, a, b);
  }
  BLOOMERY_INLINE static void round(const State& state, std::uint64_t constant, State& next) {
    Lane parity[5];
    for (std::size_t x = 0; x < 5; ++x)
      parity[x] =
          Isa::exclusive_or_5(state[x], state[x + 5], state[x + 10], state[x + 15], state[x + 20]);
    Lane column[5];
    for (std::size_t x = 0; x < 5; ++x)
      column[x] =
          Isa::exclusive_or(parity[(x + 4) % 5], Isa::template rotate<1>(parity[(x + 1) % 5]));
    plane<0>(state, column, next);
    next[0] = Isa::exclusive_or(next[0], Isa::broadcast(constant));
    plane<5>(state, column, next);
    plane<10>(state, column, next);
    plane<15>(state, column, next);
    plane<20>(state, column, next);
  }

  struct alignas(64) Block {
    std::uint64_t words[kBlockWords][kLanes];
  };
  // Precondition: the words of this lane are zero, and the key leaves room for the padding.
  BLOOMERY_INLINE static void pad(Block& block, std::size_t lane, ByteView key) {
    const std::size_t whole = key.size() / 8;
    for (std::size_t i = 0; i < whole; ++i)
      block.words[i][lane] = load_le<std::uint64_t>(key.data() + 8 * i);
    const std::size_t rest = key.size() % 8;
    block.words[whole][lane] =
        internal::load_le_partial(key.data() + 8 * whole, rest) | std::uint64_t{0x01} << (8 * rest);
    block.words[kBlockWords - 1][lane] |= std::uint64_t{0x80} << 56;
  }
  // Precondition: at most kLanes keys, none longer than kLongestInOneBlock.
  BLOOMERY_INLINE static void hash(const ByteView* keys, std::size_t count,
                                   Keccak256Digest* digests) {
    Block block{};
    for (std::size_t lane = 0; lane < count; ++lane) pad(block, lane, keys[lane]);
    State state;
    for (std::size_t i = 0; i < kBlockWords; ++i) state[i] = Isa::load(block.words[i]);
    for (std::size_t i = kBlockWords; i < kStateWords; ++i) state[i] = Isa::broadcast(0);
#pragma GCC unroll 1
    for (std::size_t i = 0; i < kRounds; i += 2) {
      State next;
      round(state, kRoundConstants[i], next);
      round(next, kRoundConstants[i + 1], state);
    }
    for (std::size_t i = 0; i < kDigestWords; ++i) Isa::store(block.words[i], state[i]);
    for (std::size_t lane = 0; lane < count; ++lane)
      for (std::size_t i = 0; i < kDigestWords; ++i)
        store_le(digests[lane].data() + 8 * i, block.words[i][lane]);
  }
};

// How many of the first keys, up to `most`, fill one block each.
BLOOMERY_INLINE std::size_t leading_short(const ByteView* keys, std::size_t most) {
  std::size_t count = 0;
  while (count < most && keys[count].size() <= kLongestInOneBlock) ++count;
  return count;
}

// A few keys left over go through Narrow, whose registers have fewer lanes and cost less.
template <class Wide, class Narrow>
void hash_in_lanes(const ByteView* keys, std::size_t count, Keccak256Digest* digests) noexcept {
  for (std::size_t done = 0; done < count;) {
    const std::size_t lanes =
        leading_short(keys + done, count - done < Wide::kLanes ? count - done : Wide::kLanes);
    if (lanes == 0) {
      digests[done] = keccak256(keys[done]);
      ++done;
      continue;
    }
    if (lanes <= Narrow::kLanes)
      Narrow::hash(keys + done, lanes, digests + done);
    else
      Wide::hash(keys + done, lanes, digests + done);
    done += lanes;
  }
}

}  // namespace
}  // namespace bloomery::simd
