// The block layout on AVX2 with AES (Haswell, Zen and later): a block is two registers.
#include <immintrin.h>

#include "bloomery/hash/partial_load.h"
#include "bloomery/simd/block_pipeline.h"
#include "bloomery/simd/block_rows.h"

namespace bloomery::simd {
namespace {

struct alignas(64) Words {
  std::uint64_t at[block::kSectors];
};
using PatternLanes = std::array<Words, block::kPatterns>;

// One in the lane of each used sector: what is shifted to its bit.
constexpr auto make_pattern_lanes() {
  std::array<PatternLanes, block::kMostProbes - block::kFewestProbes + 1> lanes{};
  for (std::uint32_t probes = block::kFewestProbes; probes <= block::kMostProbes; ++probes)
    for (std::uint32_t number = 0; number < block::kPatterns; ++number)
      for (std::uint32_t i = 0; i < block::kSectors; ++i)
        lanes[probes - block::kFewestProbes][number].at[i] =
            block::pattern(number, probes) >> i & 1U;
  return lanes;
}
constexpr auto kPatternLanes = make_pattern_lanes();

BLOOMERY_INLINE __m128i aes_key(std::size_t i) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(&kAesKeys[i]));
}
BLOOMERY_INLINE __m256i load_half(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
BLOOMERY_INLINE Hash128 words_of(__m128i hash) {
  return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(hash)),
          static_cast<std::uint64_t>(_mm_extract_epi64(hash, 1))};
}

struct Mask {  // what a key sets in its block
  __m256i low;
  __m256i high;
};

struct Avx2 : KeyByKey {
  using AesNumberSource = AesSource<Avx2, std::uint64_t>;
  using AesBytesSource = AesSource<Avx2, ByteView>;
  template <class Source>
  static constexpr bool hashes_in_loop() {
    return !kIsAnySource<std::remove_cvref_t<Source>>;
  }

  BLOOMERY_INLINE static Hash128 one_aes(std::uint64_t key, std::uint64_t seed) {
    const __m128i word = _mm_set1_epi64x(static_cast<long long>(key ^ seed));
    const __m128i state = _mm_xor_si128(word, aes_key(0));
    return words_of(_mm_aesenc_si128(_mm_aesenc_si128(state, aes_key(1)), aes_key(2)));
  }

  struct Stripe {
    __m128i lane[4];
  };
  // Zero past the end of the key, and nothing past it is read.
  BLOOMERY_INLINE static __m128i load_lane(const std::byte* from, std::size_t size) {
    if (size >= 16) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    if (size < 8)
      return _mm_cvtsi64_si128(static_cast<long long>(internal::load_le_partial(from, size)));
    const auto low = load_le<std::uint64_t>(from);
    const std::uint64_t high = size == 8 ? 0 : internal::load_le_partial(from + 8, size - 8);
    return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
  }
  BLOOMERY_INLINE static void round(Stripe& state, const Stripe& keys) {
    for (std::size_t i = 0; i < std::size(state.lane); ++i)
      state.lane[i] = _mm_aesenc_si128(state.lane[i], keys.lane[i]);
  }
  BLOOMERY_INLINE static Hash128 one_aes(ByteView key, std::uint64_t seed) {
    const Stripe keys = {{aes_key(3), aes_key(2), aes_key(1), aes_key(0)}};
    const __m128i seeds = _mm_set1_epi64x(static_cast<long long>(seed));
    Stripe state;
    for (std::size_t i = 0; i < std::size(state.lane); ++i)
      state.lane[i] = _mm_xor_si128(keys.lane[i], seeds);
    const std::byte* from = key.data();
    std::size_t rest = key.size();
    for (; rest > kAesStripeBytes; rest -= kAesStripeBytes, from += kAesStripeBytes) {
      for (std::size_t i = 0; i < std::size(state.lane); ++i)
        state.lane[i] = _mm_xor_si128(state.lane[i], load_lane(from + 16 * i, 16));
      round(state, keys);
      round(state, keys);
    }
    for (std::size_t i = 0; i < std::size(state.lane) && 16 * i < rest; ++i)
      state.lane[i] = _mm_xor_si128(state.lane[i], load_lane(from + 16 * i, rest - 16 * i));
    const __m128i length = _mm_set1_epi64x(static_cast<long long>(key.size() * kAesLengthFactor));
    round(state, {{length, length, length, length}});
    __m128i hash = _mm_aesenc_si128(_mm_aesenc_si128(state.lane[0], state.lane[2]),
                                    _mm_aesenc_si128(state.lane[1], state.lane[3]));
    hash = _mm_aesenc_si128(hash, aes_key(1));
    return words_of(_mm_aesenc_si128(hash, aes_key(2)));
  }

  BLOOMERY_INLINE static __m256i turned(__m256i bits, __m256i windows) {
    const __m256i turned =
        _mm256_or_si256(_mm256_srlv_epi64(bits, windows),
                        _mm256_sllv_epi64(bits, _mm256_sub_epi64(_mm256_set1_epi64x(64), windows)));
    return _mm256_and_si256(turned, _mm256_set1_epi64x(63));
  }
  BLOOMERY_INLINE static Mask shifts_of(std::uint64_t bits, std::uint32_t seed) {
    const __m256i word = _mm256_set1_epi64x(static_cast<long long>(bits));
    const __m128i windows =
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(block::kWindows[seed].data()));
    return {turned(word, _mm256_cvtepu8_epi64(windows)),
            turned(word, _mm256_cvtepu8_epi64(_mm_srli_si128(windows, 4)))};
  }
  BLOOMERY_INLINE static Mask shifts_of(std::uint64_t bits) {
    const __m128i bytes =
        _mm_and_si128(_mm_cvtsi64_si128(static_cast<long long>(bits)), _mm_set1_epi8(63));
    return {_mm256_cvtepu8_epi64(bytes), _mm256_cvtepu8_epi64(_mm_srli_si128(bytes, 4))};
  }
  template <Mode kMode>
  BLOOMERY_INLINE static Mask mask_of(const BlockTarget& target, std::uint64_t offset,
                                      Hash128 hash) {
    Mask shifts;
    if constexpr (kMode == Mode::kSeeded)
      shifts = shifts_of(hash.high, target.window_set(offset / block::kBlockBytes));
    else
      shifts = shifts_of(hash.high);
    if constexpr (kMode == Mode::kAllSectors) {
      const __m256i one = _mm256_set1_epi64x(1);
      return {_mm256_sllv_epi64(one, shifts.low), _mm256_sllv_epi64(one, shifts.high)};
    }
    const Words& used =
        kPatternLanes[target.probes - block::kFewestProbes][block::pattern_number(hash.low)];
    return {_mm256_sllv_epi64(load_half(used.at), shifts.low),
            _mm256_sllv_epi64(load_half(used.at + 4), shifts.high)};
  }
  // One test of both halves: two tests became a branch on the first, which half the keys miss.
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static bool in_block(const BlockTarget& target, std::uint64_t offset,
                                       Hash128 hash) {
    const Mask mask = mask_of<kMode>(target, offset, hash);
    std::byte* block = target.blocks + offset;
    const __m256i low = load_half(block);
    const __m256i high = load_half(block + 32);
    const __m256i missing =
        _mm256_or_si256(_mm256_andnot_si256(low, mask.low), _mm256_andnot_si256(high, mask.high));
    if constexpr (kAct == Act::kInsert) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(block), _mm256_or_si256(low, mask.low));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(block + 32), _mm256_or_si256(high, mask.high));
      return _mm256_testz_si256(missing, missing) == 0;
    }
    return _mm256_testz_si256(missing, missing) != 0;
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static void act(const BlockTarget& target, Ring& ring, std::size_t slot) {
#pragma GCC unroll 8
    for (std::size_t j = slot; j < slot + kGroup; ++j)
      ring.result[j] = in_block<kMode, kAct>(target, ring.offset[j], ring.hashes[j]) ? 1 : 0;
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static std::uint8_t finish(const Ring& ring, std::size_t slot) {
    const auto results =
        load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(ring.result + slot));
    return static_cast<std::uint8_t>(_pext_u64(results, 0x0101010101010101U));
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static bool one(const BlockTarget& target, Hash128 hash) {
    const std::uint64_t offset = block::block_of(hash.low, target.count) * block::kBlockBytes;
    return in_block<kMode, kAct>(target, offset, hash);
  }

  static std::uint64_t product_of_fills(const Mask& block) {
    Words words;
    _mm256_store_si256(reinterpret_cast<__m256i*>(words.at), block.low);
    _mm256_store_si256(reinterpret_cast<__m256i*>(words.at + 4), block.high);
    std::uint64_t product = 1;
    for (const std::uint64_t word : words.at)
      product *= static_cast<unsigned>(__builtin_popcountll(word));
    return product;
  }
  static std::uint8_t best_windows(const Hash128* keys, std::size_t count, std::uint32_t probes,
                                   std::uint32_t sets, block::BlockMask& best) noexcept {
    std::uint64_t smallest = ~std::uint64_t{0};
    std::uint8_t best_seed = 0;
    const PatternLanes& lanes = kPatternLanes[probes - block::kFewestProbes];
    for (std::uint32_t seed = 0; seed < sets; ++seed) {
      Mask block = {_mm256_setzero_si256(), _mm256_setzero_si256()};
      for (std::size_t i = 0; i < count; ++i) {
        const Words& used = lanes[block::pattern_number(keys[i].low)];
        const Mask shifts = shifts_of(keys[i].high, seed);
        block.low = _mm256_or_si256(block.low, _mm256_sllv_epi64(load_half(used.at), shifts.low));
        block.high =
            _mm256_or_si256(block.high, _mm256_sllv_epi64(load_half(used.at + 4), shifts.high));
      }
      const std::uint64_t product = product_of_fills(block);
      if (product >= smallest) continue;
      smallest = product;
      best_seed = static_cast<std::uint8_t>(seed);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(best.data()), block.low);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(best.data() + 4), block.high);
    }
    return best_seed;
  }
};

}  // namespace

constinit const BlockKernels kBlockAvx2 = kernels_of<Avx2>("avx2");

}  // namespace bloomery::simd
