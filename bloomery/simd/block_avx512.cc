// The block layout on AVX-512 with bit algorithms (Ice Lake, Zen 4 and later).
#include "bloomery/simd/block_avx512.h"

#include "bloomery/simd/block_rows.h"
#include "bloomery/simd/block_table_row.h"

namespace bloomery::simd {
namespace {

using namespace avx512;  // NOLINT(google-build-using-namespace): this file is its other half

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
constexpr double kMoreThanAnyProduct = 0x1p49;

struct Avx512 {
  struct alignas(64) Ring {
    std::uint64_t offset[kRingGroups * kGroup];
    std::uint64_t bits[kRingGroups * kGroup];
    std::uint64_t place[kRingGroups * kGroup];  // of keys with several lines
    std::uint64_t pattern[kRingGroups * kGroup];
    std::uint64_t result[kRingGroups * kGroup];
    __mmask8 is_new[kRingGroups * kGroup];
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
  static constexpr bool hashes_in_loop() {
    return !kIsAnySource<std::remove_cvref_t<Source>>;
  }
  template <class Source>
  static constexpr bool hashes_in_groups() {
    return std::is_same_v<Source, HashSource> || std::is_same_v<Source, MixSource> ||
           std::is_same_v<Source, AesNumberSource>;
  }

  template <class Source>
  BLOOMERY_INLINE static void digest(const Source& source, std::size_t i, Hash128& hash) {
    if constexpr (std::is_same_v<Source, AesBytesSource>)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(&hash), aes_bytes(source.keys[i], source.seed));
    else if constexpr (std::is_same_v<Source, AesNumberSource>)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(&hash), aes_number(source.keys[i], source.seed));
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

  BLOOMERY_INLINE static void store_places(const BlockTarget& target, const Eight& hashes,
                                           Ring& ring, std::size_t slot) {
    const __m512i numbers = block_numbers_of(hashes.place, target.count);
    _mm512_store_si512(ring.offset + slot, _mm512_slli_epi64(numbers, 6));
    _mm512_store_si512(ring.bits + slot, hashes.bits);
  }
  BLOOMERY_INLINE static __m512i next_words(__m512i own, __m512i other, std::uint64_t factor) {
    constexpr int kXorOfThree = 0x96;
    const __m512i product =
        _mm512_mullo_epi64(_mm512_ternarylogic_epi64(other, _mm512_srli_epi64(own, 32),
                                                     all_lanes(block::kLineStart), kXorOfThree),
                           all_lanes(factor));
    return _mm512_xor_si512(product, _mm512_srli_epi64(product, 32));
  }
  template <Act kAct>
  BLOOMERY_INLINE static void place_next(const BlockTarget& target, Ring& ring, std::size_t before,
                                         std::size_t slot) {
    const __m512i place = _mm512_load_si512(ring.place + before);
    const __m512i bits = _mm512_load_si512(ring.bits + before);
    const Eight next = {next_words(place, bits, block::kLinePlace),
                        next_words(bits, place, block::kLineBits)};
    store_places(target, next, ring, slot);
    _mm512_store_si512(ring.place + slot, next.place);
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
    store_places(target, hashes, ring, slot);
    if constexpr (kMode == Mode::kLines) {
      _mm512_store_si512(ring.place + slot, hashes.place);
    } else if constexpr (kMode != Mode::kAllSectors) {
      const PatternTables& tables = kAct == Act::kLookup ? kDiagonals : kSectorMasks;
      const std::uint64_t* table = tables[target.probes - block::kFewestProbes].at;
      const __m512i number = _mm512_srli_epi64(hashes.place, block::kPatternShift);
      _mm512_store_si512(ring.pattern + slot,
                         _mm512_permutex2var_epi64(_mm512_load_si512(table), number,
                                                   _mm512_load_si512(table + 8)));
    }
  }

  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static void act(const BlockTarget& target, Ring& ring, std::size_t slot) {
    if constexpr (kAct == Act::kLookup) {
      const __m512i bits = _mm512_load_si512(ring.bits + slot);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kGroup; ++i) look_up<kMode>(target, ring, slot + i, bits, i);
    } else if constexpr (kAct == Act::kAdd) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kGroup; ++i) insert<kMode>(target, ring, slot + i);
    } else {
      // Eight masks join in registers: a store each would compete with the blocks' own.
      __mmask8 is_new[kGroup];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kGroup; ++i) is_new[i] = insert<kMode>(target, ring, slot + i);
      const auto joined = [&](std::size_t i) {
        return _mm512_kunpackw(_mm512_kunpackb(is_new[i + 3], is_new[i + 2]),
                               _mm512_kunpackb(is_new[i + 1], is_new[i]));
      };
      _store_mask64(reinterpret_cast<__mmask64*>(ring.is_new + slot),
                    _mm512_kunpackd(joined(4), joined(0)));
    }
  }
  template <Mode kMode>
  BLOOMERY_INLINE static void look_up(const BlockTarget& target, Ring& ring, std::size_t at,
                                      __m512i bits, std::size_t lane) {
    const std::uint64_t offset = ring.offset[at];
    const __m512i held = _mm512_loadu_si512(target.blocks + offset);
    __m512i word = _mm512_permutexvar_epi64(all_lanes(lane), bits);
    if constexpr (kMode == Mode::kSeeded)
      word = seeded_windows(target, offset / block::kBlockBytes, word);
    const __mmask64 asked = kMode == Mode::kAllSectors
                                ? kWholeDiagonal
                                : _load_mask64(reinterpret_cast<__mmask64*>(ring.pattern + at));
    _store_mask64(reinterpret_cast<__mmask64*>(ring.result + at),
                  _mm512_mask_bitshuffle_epi64_mask(asked, held, word));
  }
  template <Mode kMode>
  BLOOMERY_INLINE static __mmask8 insert(const BlockTarget& target, Ring& ring, std::size_t at) {
    const std::uint64_t offset = ring.offset[at];
    std::byte* block = target.blocks + offset;
    __m512i window;
    if constexpr (kMode == Mode::kSeeded)
      window = seeded_windows(target, offset / block::kBlockBytes, all_lanes(ring.bits[at]));
    else
      window =
          _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(ring.bits + at)));
    if constexpr (kMode == Mode::kAllSectors) return set_all_bits(block, window);
    return set_bits(block, window, _load_mask8(reinterpret_cast<__mmask8*>(ring.pattern + at)));
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static std::uint8_t finish(const Ring& ring, std::size_t slot) {
    if constexpr (kAct == Act::kInsert) {
      const __m128i is_new = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(ring.is_new + slot));
      return static_cast<std::uint8_t>(_mm_test_epi8_mask(is_new, is_new));
    }
    const __m512i result = _mm512_load_si512(ring.result + slot);
    const __m512i asked = kMode == Mode::kAllSectors ? all_lanes(kWholeDiagonal)
                                                     : _mm512_load_si512(ring.pattern + slot);
    return _mm512_cmpeq_epi64_mask(result, asked);
  }

  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static bool one(const BlockTarget& target, __m128i hash) {
    constexpr bool kInsert = kAct != Act::kLookup;
    if constexpr (kMode == Mode::kSeeded) return one_seeded<kInsert>(target, hash);
    if constexpr (kMode == Mode::kAllSectors)
      return avx512::one<kInsert, Sectors::kAll>(target, nullptr, hash);
    return avx512::one<kInsert, Sectors::kSome>(target, patterns_of(target), hash);
  }
  BLOOMERY_INLINE static __m128i one_hash(Hash128 hash) { return in_register(hash); }
  BLOOMERY_INLINE static __m128i next_line(__m128i line) { return avx512::next_line(line); }
  BLOOMERY_INLINE static __m128i one_aes(std::uint64_t key, std::uint64_t seed) {
    return aes_number(key, seed);
  }
  BLOOMERY_INLINE static __m128i one_aes(ByteView key, std::uint64_t seed) {
    return aes_bytes(key, seed);
  }

  // For each of eight window sets, one lane: the product of its eight sectors' fills. Halves are
  // multiplied with halves, so that all eight products come from seven multiplications. They are of
  // whole numbers up to 2^48: exact.
  BLOOMERY_INLINE static __m512d products_of_fills(const __m512i (&blocks)[8]) {
    __m512d fills[8];
#pragma GCC unroll 8
    for (std::uint32_t j = 0; j < 8; ++j)
      fills[j] = _mm512_cvtepi64_pd(_mm512_popcnt_epi64(blocks[j]));
    __m512d pairs[4];
#pragma GCC unroll 8
    for (std::uint32_t j = 0; j < 4; ++j)
      pairs[j] = _mm512_mul_pd(_mm512_unpacklo_pd(fills[2 * j], fills[2 * j + 1]),
                               _mm512_unpackhi_pd(fills[2 * j], fills[2 * j + 1]));
    __m512d fours[2];
#pragma GCC unroll 8
    for (std::uint32_t j = 0; j < 2; ++j)
      fours[j] = _mm512_mul_pd(_mm512_shuffle_f64x2(pairs[2 * j], pairs[2 * j + 1], 0x88),
                               _mm512_shuffle_f64x2(pairs[2 * j], pairs[2 * j + 1], 0xdd));
    return _mm512_mul_pd(_mm512_shuffle_f64x2(fours[0], fours[1], 0x88),
                         _mm512_shuffle_f64x2(fours[0], fours[1], 0xdd));
  }
  // What one key sets in a block under each window set that starts from these controls.
  struct KeyBits {
    __m512i bits;
    __m512i ones;  // in the sectors it uses
    BLOOMERY_INLINE __m512i under(__m512i control) const {
      return _mm512_rolv_epi64(ones, _mm512_multishift_epi64_epi8(control, bits));
    }
  };
  BLOOMERY_INLINE static KeyBits key_bits(const Hash128& key, const std::uint64_t* sector_masks) {
    const auto sectors = static_cast<__mmask8>(sector_masks[block::pattern_number(key.low)]);
    return {all_lanes(key.high), _mm512_maskz_set1_epi64(sectors, 1)};
  }
  // Eight window sets at a time, each a block in a register; two keys at a time, for three
  // registers are OR-ed in one instruction.
  BLOOMERY_INLINE static void fill_eight(const Hash128* keys, std::size_t count,
                                         const std::uint64_t* sector_masks,
                                         const Words* first_control, __m512i (&blocks)[8]) {
    __m512i controls[8];
#pragma GCC unroll 8
    for (std::uint32_t j = 0; j < 8; ++j) {
      controls[j] = _mm512_load_si512(first_control + j);
      blocks[j] = _mm512_setzero_si512();
    }
    constexpr int kOrOfThree = 0xfe;
    for (std::size_t i = 0; i < count; i += 2) {
      const KeyBits a = key_bits(keys[i], sector_masks);
      const KeyBits b = key_bits(keys[i + 1 < count ? i + 1 : i], sector_masks);
#pragma GCC unroll 8
      for (std::uint32_t j = 0; j < 8; ++j)
        blocks[j] = _mm512_ternarylogic_epi64(blocks[j], a.under(controls[j]), b.under(controls[j]),
                                              kOrOfThree);
    }
  }
  static std::uint8_t best_windows(const Hash128* keys, std::size_t count, std::uint32_t probes,
                                   std::uint32_t sets, block::BlockMask& best) noexcept {
    const std::uint64_t* sector_masks = kSectorMasks[probes - block::kFewestProbes].at;
    double smallest = kMoreThanAnyProduct;
    std::uint8_t best_seed = 0;
    for (std::uint32_t first = 0; first < sets; first += 8) {
      __m512i blocks[8];
      fill_eight(keys, count, sector_masks, &kControls[first], blocks);
      const __m512d products = products_of_fills(blocks);
      const auto asked = static_cast<__mmask8>(_bzhi_u32(0xff, sets - first));
      const double product = _mm512_mask_reduce_min_pd(asked, products);
      if (product >= smallest) continue;
      smallest = product;
      const auto lane = static_cast<std::uint32_t>(
          _tzcnt_u32(_mm512_mask_cmpeq_pd_mask(asked, products, _mm512_set1_pd(product))));
      best_seed = static_cast<std::uint8_t>(first + lane);
      _mm512_storeu_si512(best.data(), blocks[lane]);
    }
    return best_seed;
  }
};

}  // namespace

constinit const BlockKernels kBlockAvx512 = kernels_of<Avx512>("avx512");

}  // namespace bloomery::simd
