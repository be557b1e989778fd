// The block layout on AVX-512 with bit algorithms (Ice Lake, Zen 4 and later).
#include <immintrin.h>

#include "bloomery/simd/block_pipeline.h"
#include "bloomery/simd/block_rows.h"

namespace bloomery::simd {
namespace {

struct alignas(64) Words {
  std::uint64_t at[block::kSectors];
};
struct alignas(64) PatternWords {
  std::uint64_t at[block::kPatterns];
};

using PatternTables = std::array<PatternWords, block::kMostProbes - block::kFewestProbes + 1>;

template <class Form>
constexpr PatternTables pattern_tables(Form form) {
  PatternTables tables{};
  for (std::uint32_t probes = block::kFewestProbes; probes <= block::kMostProbes; ++probes)
    for (std::uint32_t number = 0; number < block::kPatterns; ++number)
      tables[probes - block::kFewestProbes].at[number] = form(block::pattern(number, probes));
  return tables;
}

// VPSHUFBITQMB answers 64 bits, bit 8i + j for byte j of sector i. Byte i of the broadcast word is
// sector i's: the diagonal.
constexpr std::uint64_t diagonal(std::uint8_t sectors) {
  std::uint64_t mask = 0;
  for (std::uint32_t i = 0; i < block::kSectors; ++i)
    mask |= std::uint64_t{sectors >> i & 1U} << (9 * i);
  return mask;
}
constexpr std::uint64_t kWholeDiagonal = diagonal(0xff);
constexpr PatternTables kDiagonals = pattern_tables(diagonal);
constexpr PatternTables kSectorMasks =
    pattern_tables([](std::uint8_t sectors) { return std::uint64_t{sectors}; });

// VPMULTISHIFTQB's control for each window set: every byte of lane i is the window of sector i, so
// that both its lowest byte and the one on the diagonal are right.
constexpr std::array<Words, block::kWindowSets> make_controls() {
  std::array<Words, block::kWindowSets> controls{};
  for (std::uint32_t seed = 0; seed < block::kWindowSets; ++seed)
    for (std::uint32_t i = 0; i < block::kSectors; ++i)
      controls[seed].at[i] = block::kWindows[seed][i] * 0x0101010101010101U;
  return controls;
}
constexpr std::array<Words, block::kWindowSets> kControls = make_controls();

constexpr double kMoreThanAnyProduct = 0x1p49;

BLOOMERY_INLINE __m512i all_lanes(std::uint64_t word) {
  return _mm512_set1_epi64(static_cast<long long>(word));
}
BLOOMERY_INLINE __m128i aes_key(std::size_t i) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(&kAesKeys[i]));
}

struct Avx512 {
  struct alignas(64) Ring {
    std::uint64_t offset[kRingGroups * kGroup];
    std::uint64_t bits[kRingGroups * kGroup];
    std::uint64_t pattern[kRingGroups * kGroup];
    std::uint64_t result[kRingGroups * kGroup];
    Hash128 hashes[kRingGroups * kGroup];
  };
  struct AesNumberSource {
    const std::uint64_t* keys;
    std::uint64_t seed;
  };
  struct AesBytesSource {
    const ByteView* keys;
    std::uint64_t seed;
  };
  struct Eight {  // hashes, one lane each
    __m512i place;
    __m512i bits;
  };

  template <class Source>
  static constexpr bool hashes_in_groups() {
    return std::is_same_v<Source, HashSource> || std::is_same_v<Source, MixSource> ||
           std::is_same_v<Source, AesNumberSource>;
  }

  static __m128i aes_number_register(std::uint64_t key, std::uint64_t seed) {
    const __m128i word = _mm_set1_epi64x(static_cast<long long>(key ^ seed));
    const __m128i state = _mm_xor_si128(word, aes_key(0));
    return _mm_aesenc_si128(_mm_aesenc_si128(state, aes_key(1)), aes_key(2));
  }
  BLOOMERY_INLINE static Hash128 aes_number(std::uint64_t key, std::uint64_t seed) {
    const __m128i hash = aes_number_register(key, seed);
    return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(hash)),
            static_cast<std::uint64_t>(_mm_extract_epi64(hash, 1))};
  }
  // The masked load touches no byte past the key and needs no branch on its length up to 64.
  BLOOMERY_INLINE static __m128i aes_bytes_register(ByteView key, std::uint64_t seed) {
    const __m512i stripe_keys = _mm512_loadu_si512(kAesStripeKeys.data());
    __m512i state = _mm512_xor_si512(stripe_keys, all_lanes(seed));
    const std::byte* from = key.data();
    std::size_t rest = key.size();
    for (; __builtin_expect(rest > kAesStripeBytes, 0); rest -= kAesStripeBytes) {
      state = _mm512_aesenc_epi128(_mm512_xor_si512(state, _mm512_loadu_si512(from)), stripe_keys);
      state = _mm512_aesenc_epi128(state, stripe_keys);
      from += kAesStripeBytes;
    }
    const __m512i last =
        _mm512_maskz_loadu_epi8(_bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(rest)), from);
    state = _mm512_aesenc_epi128(_mm512_xor_si512(state, last),
                                 all_lanes(key.size() * kAesLengthFactor));
    const __m256i halves =
        _mm256_aesenc_epi128(_mm512_castsi512_si256(state), _mm512_extracti64x4_epi64(state, 1));
    __m128i hash =
        _mm_aesenc_si128(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    hash = _mm_aesenc_si128(hash, aes_key(1));
    return _mm_aesenc_si128(hash, aes_key(2));
  }
  BLOOMERY_INLINE static Hash128 aes_bytes(ByteView key, std::uint64_t seed) {
    const __m128i hash = aes_bytes_register(key, seed);
    return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(hash)),
            static_cast<std::uint64_t>(_mm_extract_epi64(hash, 1))};
  }

  template <class Source>
  BLOOMERY_INLINE static void digest(const Source& source, std::size_t i, Hash128& hash) {
    if constexpr (std::is_same_v<Source, AesBytesSource>)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(&hash),
                       aes_bytes_register(source.keys[i], source.seed));
    else if constexpr (std::is_same_v<Source, AesNumberSource>)
      hash = aes_number(source.keys[i], source.seed);
    else
      hash = source.digest(i);
  }

  BLOOMERY_INLINE static Eight separate(const Hash128* hashes) {
    const __m512i first = _mm512_loadu_si512(hashes);
    const __m512i second = _mm512_loadu_si512(hashes + 4);
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    return {_mm512_permutex2var_epi64(first, even, second),
            _mm512_permutex2var_epi64(first, odd, second)};
  }
  BLOOMERY_INLINE static Eight hash_eight(const MixSource& source, std::size_t i) {
    __m512i word = _mm512_xor_si512(_mm512_loadu_si512(source.keys + i), all_lanes(source.seed));
    word = _mm512_mullo_epi64(word, all_lanes(kMixFirst));
    word = _mm512_xor_si512(word, _mm512_srli_epi64(word, 32));
    const __m512i place = _mm512_mullo_epi64(word, all_lanes(kMixSecond));
    const __m512i folded = _mm512_xor_si512(place, _mm512_srli_epi64(place, 32));
    return {place, _mm512_mullo_epi64(folded, all_lanes(kMixThird))};
  }
  BLOOMERY_INLINE static Eight hash_eight(const AesNumberSource& source, std::size_t i) {
    const __m512i first = _mm512_broadcast_i32x4(aes_key(0));
    const __m512i second = _mm512_broadcast_i32x4(aes_key(1));
    const __m512i third = _mm512_broadcast_i32x4(aes_key(2));
    const __m512i keys =
        _mm512_xor_si512(_mm512_loadu_si512(source.keys + i), all_lanes(source.seed));
    __m512i even = _mm512_xor_si512(_mm512_unpacklo_epi64(keys, keys), first);
    __m512i odd = _mm512_xor_si512(_mm512_unpackhi_epi64(keys, keys), first);
    even = _mm512_aesenc_epi128(_mm512_aesenc_epi128(even, second), third);
    odd = _mm512_aesenc_epi128(_mm512_aesenc_epi128(odd, second), third);
    return {_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd)};
  }

  // floor(place * blocks / 2^64) for fewer than 2^32 blocks, exact: the two halves of place are
  // multiplied apart, and the sum cannot overflow.
  BLOOMERY_INLINE static __m512i eight_block_numbers(__m512i place, __m512i blocks) {
    const __m512i high = _mm512_mul_epu32(_mm512_srli_epi64(place, 32), blocks);
    const __m512i low = _mm512_srli_epi64(_mm512_mul_epu32(place, blocks), 32);
    return _mm512_srli_epi64(_mm512_add_epi64(high, low), 32);
  }
  BLOOMERY_INLINE static __m512i block_numbers_of(__m512i place, std::uint64_t blocks) {
    if (__builtin_expect(blocks >> 32 == 0, 1))
      return eight_block_numbers(place, all_lanes(blocks));
    Words words;
    _mm512_store_si512(&words, place);
    for (std::uint64_t& word : words.at) word = block::block_of(word, blocks);
    return _mm512_load_si512(&words);
  }
  static void block_numbers(const std::uint64_t* places, std::size_t count, std::uint64_t blocks,
                            std::uint64_t* numbers) noexcept {
    std::size_t i = 0;
    for (; i + kGroup <= count; i += kGroup)
      _mm512_storeu_si512(numbers + i, block_numbers_of(_mm512_loadu_si512(places + i), blocks));
    for (; i < count; ++i) numbers[i] = block::block_of(places[i], blocks);
  }

  template <Mode kMode, Act kAct, class Source>
  BLOOMERY_INLINE static void place(const BlockTarget& target, const Source& source, std::size_t i,
                                    Ring& ring, std::size_t slot) {
    Eight hashes;
    if constexpr (std::is_same_v<Source, HashSource>)
      hashes = separate(source.keys + i);
    else if constexpr (hashes_in_groups<Source>())
      hashes = hash_eight(source, i);
    else
      hashes = separate(ring.hashes + slot);
    const __m512i numbers = block_numbers_of(hashes.place, target.count);
    _mm512_store_si512(ring.offset + slot, _mm512_slli_epi64(numbers, 6));
    _mm512_store_si512(ring.bits + slot, hashes.bits);
    if constexpr (kMode != Mode::kAllSectors) {
      const PatternTables& tables = kAct == Act::kInsert ? kSectorMasks : kDiagonals;
      const std::uint64_t* table = tables[target.probes - block::kFewestProbes].at;
      const __m512i number = _mm512_srli_epi64(hashes.place, block::kPatternShift);
      _mm512_store_si512(ring.pattern + slot,
                         _mm512_permutex2var_epi64(_mm512_load_si512(table), number,
                                                   _mm512_load_si512(table + 8)));
    }
  }

  BLOOMERY_INLINE static __m512i windows(const BlockTarget& target, std::uint64_t offset,
                                         __m512i bits) {
    const std::uint8_t seed = target.seeds[offset / block::kBlockBytes];
    return _mm512_multishift_epi64_epi8(_mm512_load_si512(&kControls[seed]), bits);
  }

  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static void act(const BlockTarget& target, Ring& ring, std::size_t slot) {
    if constexpr (kAct == Act::kLookup) {
      const __m512i bits = _mm512_load_si512(ring.bits + slot);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kGroup; ++i) look_up<kMode>(target, ring, slot + i, bits, i);
    } else {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kGroup; ++i) insert<kMode>(target, ring, slot + i);
    }
  }
  template <Mode kMode>
  BLOOMERY_INLINE static void look_up(const BlockTarget& target, Ring& ring, std::size_t at,
                                      __m512i bits, std::size_t lane) {
    const std::uint64_t offset = ring.offset[at];
    const __m512i held = _mm512_loadu_si512(target.blocks + offset);
    __m512i word = _mm512_permutexvar_epi64(all_lanes(lane), bits);
    if constexpr (kMode == Mode::kSeeded) word = windows(target, offset, word);
    const __mmask64 asked = kMode == Mode::kAllSectors
                                ? kWholeDiagonal
                                : _load_mask64(reinterpret_cast<__mmask64*>(ring.pattern + at));
    _store_mask64(reinterpret_cast<__mmask64*>(ring.result + at),
                  _mm512_mask_bitshuffle_epi64_mask(asked, held, word));
  }
  // Sets the bits and answers the sectors whose bit was not set before.
  template <Mode kMode>
  BLOOMERY_INLINE static __mmask8 set(const BlockTarget& target, std::uint64_t offset,
                                      __m512i window, __mmask8 sectors) {
    std::byte* to = target.blocks + offset;
    const __m512i held = _mm512_loadu_si512(to);
    const __m512i one = all_lanes(1);
    if constexpr (kMode == Mode::kAllSectors) {
      const __m512i mask = _mm512_rolv_epi64(one, window);
      _mm512_storeu_si512(to, _mm512_or_si512(held, mask));
      return _mm512_testn_epi64_mask(held, mask);
    }
    const __m512i mask = _mm512_maskz_rolv_epi64(sectors, one, window);
    _mm512_storeu_si512(to, _mm512_or_si512(held, mask));
    return _mm512_mask_testn_epi64_mask(sectors, held, mask);
  }
  template <Mode kMode>
  BLOOMERY_INLINE static void insert(const BlockTarget& target, Ring& ring, std::size_t at) {
    const std::uint64_t offset = ring.offset[at];
    __m512i window;
    if constexpr (kMode == Mode::kSeeded)
      window = windows(target, offset, all_lanes(ring.bits[at]));
    else
      window =
          _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(ring.bits + at)));
    const auto sectors =
        kMode == Mode::kAllSectors ? __mmask8{0xff} : static_cast<__mmask8>(ring.pattern[at]);
    ring.result[at] = set<kMode>(target, offset, window, sectors);
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static std::uint8_t finish(const Ring& ring, std::size_t slot) {
    const __m512i result = _mm512_load_si512(ring.result + slot);
    if constexpr (kAct == Act::kInsert) return _mm512_test_epi64_mask(result, result);
    const __m512i asked = kMode == Mode::kAllSectors ? all_lanes(kWholeDiagonal)
                                                     : _mm512_load_si512(ring.pattern + slot);
    return _mm512_cmpeq_epi64_mask(result, asked);
  }

  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static bool one(const BlockTarget& target, Hash128 hash) {
    const std::uint64_t offset = block::block_of(hash.low, target.count) * block::kBlockBytes;
    const std::uint32_t number = block::pattern_number(hash.low);
    const auto sectors =
        static_cast<__mmask8>(kSectorMasks[target.probes - block::kFewestProbes].at[number]);
    __m512i window;
    if constexpr (kMode == Mode::kSeeded)
      window = windows(target, offset, all_lanes(hash.high));
    else
      window = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(static_cast<long long>(hash.high)));
    if constexpr (kAct == Act::kInsert)
      return set<Mode::kSomeSectors>(target, offset, window, sectors) != 0;
    const __m512i mask = _mm512_rolv_epi64(all_lanes(1), window);
    const __m512i held = _mm512_loadu_si512(target.blocks + offset);
    return _mm512_mask_testn_epi64_mask(sectors, held, mask) == 0;
  }

  // Four window sets at a time, each a block in a register.
  static std::uint8_t best_windows(const Hash128* keys, std::size_t count, std::uint32_t probes,
                                   std::uint32_t sets, block::BlockMask& best) noexcept {
    double smallest = kMoreThanAnyProduct;
    std::uint8_t best_seed = 0;
    for (std::uint32_t seed = 0; seed < sets; seed += 4) {
      __m512i blocks[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                           _mm512_setzero_si512()};
      for (std::size_t i = 0; i < count; ++i) {
        const __mmask8 sectors = block::sectors_of(keys[i].low, probes);
        const __m512i bits = all_lanes(keys[i].high);
#pragma GCC unroll 4
        for (std::uint32_t j = 0; j < 4; ++j) {
          const __m512i window =
              _mm512_multishift_epi64_epi8(_mm512_load_si512(&kControls[seed + j]), bits);
          blocks[j] = _mm512_mask_or_epi64(blocks[j], sectors, blocks[j],
                                           _mm512_rolv_epi64(all_lanes(1), window));
        }
      }
      for (std::uint32_t j = 0; j < 4 && seed + j < sets; ++j) {
        const __m512d fills = _mm512_cvtepi64_pd(_mm512_popcnt_epi64(blocks[j]));
        const double product = _mm512_reduce_mul_pd(fills);  // of whole numbers up to 2^48: exact
        if (product >= smallest) continue;
        smallest = product;
        best_seed = static_cast<std::uint8_t>(seed + j);
        _mm512_storeu_si512(best.data(), blocks[j]);
      }
    }
    return best_seed;
  }
};

}  // namespace

constinit const BlockKernels kBlockAvx512 = kernels_of<Avx512>("avx512");

}  // namespace bloomery::simd
