// The block layout on AVX2 with AES (Haswell, Zen and later): a block is two registers.
#include "bloomery/simd/block_avx2.h"

#include "bloomery/simd/block_rows.h"
#include "bloomery/simd/block_table_row.h"

namespace bloomery::simd {
namespace {

using namespace avx2;  // NOLINT(google-build-using-namespace): this file is its other half

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

struct Avx2 : KeyByKey {
  using AesNumberSource = AesSource<Avx2, std::uint64_t>;
  using AesBytesSource = AesSource<Avx2, ByteView>;
  template <class Source>
  static constexpr bool hashes_in_loop() {
    return !kIsAnySource<std::remove_cvref_t<Source>>;
  }

  BLOOMERY_INLINE static Hash128 words_of(__m128i hash) {
    return {place_of(hash), static_cast<std::uint64_t>(_mm_extract_epi64(hash, 1))};
  }
  BLOOMERY_INLINE static Hash128 one_aes(std::uint64_t key, std::uint64_t seed) {
    return words_of(aes_number(key, seed));
  }

  BLOOMERY_INLINE static Hash128 one_aes(ByteView key, std::uint64_t seed) {
    return words_of(aes_bytes(key, seed));
  }

  BLOOMERY_INLINE static __m256i turned(__m256i bits, __m256i windows) {
    const __m256i turned =
        _mm256_or_si256(_mm256_srlv_epi64(bits, windows),
                        _mm256_sllv_epi64(bits, _mm256_sub_epi64(_mm256_set1_epi64x(64), windows)));
    return _mm256_and_si256(turned, _mm256_set1_epi64x(63));
  }
  BLOOMERY_INLINE static Mask seeded_shifts(std::uint64_t bits, std::uint32_t seed) {
    const __m256i word = _mm256_set1_epi64x(static_cast<long long>(bits));
    const __m128i windows =
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(block::kWindows[seed].data()));
    return {turned(word, _mm256_cvtepu8_epi64(windows)),
            turned(word, _mm256_cvtepu8_epi64(_mm_srli_si128(windows, 4)))};
  }
  template <Mode kMode>
  BLOOMERY_INLINE static Mask mask_of(const BlockTarget& target, std::uint64_t offset,
                                      const Hash128& hash) {
    const __m128i words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&hash));
    if constexpr (kMode == Mode::kAllSectors) return all_sectors(words);
    Mask shifts;
    if constexpr (kMode == Mode::kSeeded)
      shifts = seeded_shifts(hash.high, target.window_set(offset / block::kBlockBytes));
    else
      shifts = shifts_of(words);
    const Words& used =
        kPatternLanes[target.probes - block::kFewestProbes][block::pattern_number(hash.low)];
    return {_mm256_sllv_epi64(load_half(used.at), shifts.low),
            _mm256_sllv_epi64(load_half(used.at + 4), shifts.high)};
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static bool in_block(const BlockTarget& target, std::uint64_t offset,
                                       const Hash128& hash) {
    if constexpr (kMode == Mode::kAllSectors && kAct == Act::kLookup)
      return has_all(target.blocks + offset,
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(&hash)));
    return act_in<kAct != Act::kLookup>(target.blocks + offset,
                                        mask_of<kMode>(target, offset, hash));
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static void act(const BlockTarget& target, Ring& ring, std::size_t slot) {
#pragma GCC unroll 8
    for (std::size_t j = slot; j < slot + kGroup; ++j) {
      const bool yes = in_block<kMode, kAct>(target, ring.offset[j], ring.hashes[j]);
      if constexpr (kAct != Act::kAdd) ring.result[j] = yes ? 1 : 0;
    }
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
        const Mask shifts = seeded_shifts(keys[i].high, seed);
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
