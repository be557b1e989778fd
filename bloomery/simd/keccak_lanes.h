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

// So many states of as many lanes each, one round of each in turn: the last steps of a round wait
// for one another, and the other state's work fills the gaps. Pays where a state does not stay in
// registers anyway.
template <class Isa, std::size_t kStates = 1>
struct Sponges {
  using Lane = typename Isa::Lane;
  static constexpr std::size_t kLanesOfState = sizeof(Lane) / sizeof(std::uint64_t);
  static constexpr std::size_t kLanes = kStates * kLanesOfState;
  using State = Lane[kStateWords];
  using Columns = Lane[5];
  struct alignas(64) Block {
    std::uint64_t words[kBlockWords][kLanesOfState];
  };

  // What a word is changed by besides itself, from the parities of all columns (theta).
  BLOOMERY_INLINE static void add_neighbours(const Columns& parity, Columns& column) {
    for (std::size_t x = 0; x < 5; ++x)
      column[x] =
          Isa::exclusive_or(parity[(x + 4) % 5], Isa::template rotate<1>(parity[(x + 1) % 5]));
  }
  BLOOMERY_INLINE static void columns_of(const State& state, Columns& column) {
    Columns parity;
    for (std::size_t x = 0; x < 5; ++x)
      parity[x] =
          Isa::exclusive_or_5(state[x], state[x + 5], state[x + 10], state[x + 15], state[x + 20]);
    add_neighbours(parity, column);
  }
  // kWords: those of the state from here on are zero, but for the last one of a block.
  template <std::size_t kAt, std::size_t kWords>
  BLOOMERY_INLINE static Lane moved(const State& state, const Columns& column) {
    constexpr std::size_t kSource = kWalk.source[kAt];
    if constexpr (kSource < kWords || kSource == kBlockWords - 1)
      return Isa::template rotate<kWalk.rotation[kAt]>(
          Isa::exclusive_or(state[kSource], column[kSource % 5]));
    else
      return Isa::template rotate<kWalk.rotation[kAt]>(column[kSource % 5]);
  }
  // Five words from start to end, before the next five: as many registers become free as are taken.
  template <std::size_t kAt, std::size_t kWords>
  BLOOMERY_INLINE static void plane(const State& state, const Columns& column, State& next) {
    const Lane a = moved<kAt, kWords>(state, column);
    const Lane b = moved<kAt + 1, kWords>(state, column);
    const Lane c = moved<kAt + 2, kWords>(state, column);
    const Lane d = moved<kAt + 3, kWords>(state, column);
    const Lane e = moved<kAt + 4, kWords>(state, column);
    next[kAt] = Isa::chi(a, b, c);
    next[kAt + 1] = Isa::chi(b, c, d);
    next[kAt + 2] = Isa::chi(c, d, e);
    next[kAt + 3] = Isa::chi(d, e, a);
    next[kAt + 4] = Isa::chi(e, a, b);
  }
  // The plane that holds the digest: of the last round nothing else is needed.
  template <std::size_t kWords = kStateWords>
  BLOOMERY_INLINE static void first_plane(const State& state, const Columns& column,
                                          std::uint64_t constant, State& next) {
    plane<0, kWords>(state, column, next);
    next[0] = Isa::exclusive_or(next[0], Isa::broadcast(constant));
  }
  template <std::size_t kWords = kStateWords>
  BLOOMERY_INLINE static void round(const State& state, Columns& column, std::uint64_t constant,
                                    State& next) {
    first_plane<kWords>(state, column, constant, next);
    plane<5, kWords>(state, column, next);
    plane<10, kWords>(state, column, next);
    plane<15, kWords>(state, column, next);
    plane<20, kWords>(state, column, next);
    columns_of(next, column);
  }

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
  // The first round, of a block whose words from kWords on are zero, but for the last.
  template <std::size_t kWords>
  BLOOMERY_INLINE static void absorb(const Block& block, Columns& column, State& next) {
    State state;
    for (std::size_t i = 0; i < kStateWords; ++i)
      state[i] = i < kWords || i == kBlockWords - 1 ? Isa::load(block.words[i % kBlockWords])
                                                    : Isa::broadcast(0);
    columns_of(state, column);
    round<kWords>(state, column, kRoundConstants[0], next);
  }
  // Precondition: at most kLanes keys, whose words with the padding are at most kWords.
  template <std::size_t kWords>
  BLOOMERY_INLINE static void hash_short(const ByteView* keys, std::size_t count,
                                         Keccak256Digest* digests) {
    Block block[kStates]{};
    for (std::size_t i = 0; i < count; ++i)
      pad(block[i / kLanesOfState], i % kLanesOfState, keys[i]);
    State state[kStates];
    State next[kStates];
    Columns column[kStates];
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kStates; ++k) absorb<kWords>(block[k], column[k], state[k]);
#pragma GCC unroll 1
    for (std::size_t i = 1; i + 1 < kRounds; i += 2) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < kStates; ++k)
        round(state[k], column[k], kRoundConstants[i], next[k]);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < kStates; ++k)
        round(next[k], column[k], kRoundConstants[i + 1], state[k]);
    }
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kStates; ++k) {
      first_plane(state[k], column[k], kRoundConstants[kRounds - 1], next[k]);
      for (std::size_t i = 0; i < kDigestWords; ++i) Isa::store(block[k].words[i], next[k][i]);
    }
    for (std::size_t lane = 0; lane < count; ++lane)
      for (std::size_t i = 0; i < kDigestWords; ++i)
        store_le(digests[lane].data() + 8 * i,
                 block[lane / kLanesOfState].words[i][lane % kLanesOfState]);
  }
  // All rounds of one state, whose words are left in it.
  BLOOMERY_INLINE static void permute(State& state) {
    State next;
    Columns column;
    columns_of(state, column);
#pragma GCC unroll 1
    for (std::size_t i = 0; i < kRounds; i += 2) {
      round(state, column, kRoundConstants[i], next);
      round(next, column, kRoundConstants[i + 1], state);
    }
  }
  // The next block of a key, whose rest this is. The bit of the lane where the key ends with it.
  BLOOMERY_INLINE static unsigned fill_lane(ByteView rest, std::size_t lane, Block& block) {
    if (rest.size() <= kLongestInOneBlock) {
      pad(block, lane, rest);
      return 1U << lane;
    }
    for (std::size_t i = 0; i < kBlockWords; ++i)
      block.words[i][lane] = load_le<std::uint64_t>(rest.data() + 8 * i);
    return 0;
  }
  // Keys of any length; as many permutations as the longest takes, so neighbours should be about as
  // long. Precondition: at most kLanesOfState keys, at least one.
  static void hash_long(const ByteView* keys, std::size_t count, Keccak256Digest* digests) {
    static_assert(kStates == 1);
    State state;
    for (std::size_t i = 0; i < kStateWords; ++i) state[i] = Isa::broadcast(0);
    const unsigned all = (1U << count) - 1;
    unsigned ended = 0;
    for (std::size_t offset = 0; ended != all; offset += 8 * kBlockWords) {
      Block block{};
      unsigned ends = 0;
      for (std::size_t lane = 0; lane < count; ++lane)
        if ((ended >> lane & 1U) == 0) ends |= fill_lane(keys[lane].subspan(offset), lane, block);
      for (std::size_t i = 0; i < kBlockWords; ++i)
        state[i] = Isa::exclusive_or(state[i], Isa::load(block.words[i]));
      permute(state);
      for (std::size_t i = 0; i < kDigestWords; ++i) Isa::store(block.words[i], state[i]);
      for (std::size_t lane = 0; lane < count; ++lane)
        for (std::size_t i = 0; i < kDigestWords && (ends >> lane & 1U) != 0; ++i)
          store_le(digests[lane].data() + 8 * i, block.words[i][lane]);
      ended |= ends;
    }
  }
  // Precondition: at most kLanes keys, none longer than kLongestInOneBlock. Addresses and topics
  // have a first round of their own, which knows most words to be zero.
  static void hash(const ByteView* keys, std::size_t count, Keccak256Digest* digests) {
    constexpr std::size_t kFewWords = 5;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < count; ++i)
      longest = keys[i].size() > longest ? keys[i].size() : longest;
    if (longest < 8 * kFewWords)
      hash_short<kFewWords>(keys, count, digests);
    else
      hash_short<kBlockWords>(keys, count, digests);
  }
};

// How many of the first keys, up to `most`, fill one block each, or more than one each.
BLOOMERY_INLINE std::size_t leading_short(const ByteView* keys, std::size_t most) {
  std::size_t count = 0;
  while (count < most && keys[count].size() <= kLongestInOneBlock) ++count;
  return count;
}
BLOOMERY_INLINE std::size_t leading_long(const ByteView* keys, std::size_t most) {
  std::size_t count = 0;
  while (count < most && keys[count].size() > kLongestInOneBlock) ++count;
  return count;
}

// Few keys, and those left over, go through Narrow, whose registers have fewer lanes and cost less.
// Long keys go through Long; one alone is sooner hashed by itself.
template <class Wide, class Narrow, class Long = Narrow>
void hash_in_lanes(const ByteView* keys, std::size_t count, Keccak256Digest* digests) noexcept {
  for (std::size_t done = 0; done < count;) {
    const std::size_t rest = count - done;
    const std::size_t lanes = leading_short(keys + done, rest < Wide::kLanes ? rest : Wide::kLanes);
    if (lanes == 0) {
      const std::size_t longs =
          leading_long(keys + done, rest < Long::kLanes ? rest : Long::kLanes);
      if (longs == 1)
        digests[done] = keccak256(keys[done]);
      else if (longs <= Narrow::kLanes)
        Narrow::hash_long(keys + done, longs, digests + done);
      else
        Long::hash_long(keys + done, longs, digests + done);
      done += longs;
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
