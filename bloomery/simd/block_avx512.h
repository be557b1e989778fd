// One key of the block layout on AVX-512, inlined into the caller. For code that is itself compiled
// for such a CPU (-march=native and the like): a call through the table of kernels costs as much as
// the lookup. The batch kernels use the same functions.
#pragma once
#include "bloomery/layout/lines.h"
#include "bloomery/simd/block_avx2.h"

namespace bloomery::simd::avx512 {

// Known to every caller, whatever it is compiled for: a filter holds the row it needs.
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
inline constexpr PatternTables kSectorMasks =
    pattern_tables([](std::uint8_t sectors) { return std::uint64_t{sectors}; });

inline const PatternWords* patterns_of(const BlockTarget& target) {
  return &kSectorMasks[block::probes_in_line(target.probes) - block::kFewestProbes];
}

}  // namespace bloomery::simd::avx512

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) &&        \
    defined(__AVX512VL__) && defined(__AVX512VBMI__) && defined(__AVX512BITALG__) && \
    defined(__AVX512VPOPCNTDQ__) && defined(__VAES__) && defined(__AES__) && defined(__BMI2__)
#define BLOOMERY_HAS_AVX512 1
#include "bloomery/simd/intrinsics.h"

namespace bloomery::simd::avx512 {

struct alignas(64) Words {
  std::uint64_t at[block::kSectors];
};
// VPMULTISHIFTQB's control for each window set: every byte of lane i is the window of sector i, so
// that its lowest byte is right, and the one on the diagonal of a bit shuffle.
constexpr std::array<Words, block::kWindowSets> make_controls() {
  std::array<Words, block::kWindowSets> controls{};
  for (std::uint32_t seed = 0; seed < block::kWindowSets; ++seed)
    for (std::uint32_t i = 0; i < block::kSectors; ++i)
      controls[seed].at[i] = block::kWindows[seed][i] * 0x0101010101010101U;
  return controls;
}
inline constexpr std::array<Words, block::kWindowSets> kControls = make_controls();

BLOOMERY_INLINE __m512i all_lanes(std::uint64_t word) {
  return _mm512_set1_epi64(static_cast<long long>(word));
}
using avx2::aes_bytes;
using avx2::aes_key;
using avx2::aes_number;
BLOOMERY_INLINE __m128i in_register(Hash128 hash) {
  return _mm_set_epi64x(static_cast<long long>(hash.high), static_cast<long long>(hash.low));
}

// block::next_line of both words at once.
BLOOMERY_INLINE __m128i next_line(__m128i line) {
  const __m128i turned = _mm_xor_si128(_mm_shuffle_epi32(line, 0x4e), _mm_srli_epi64(line, 32));
  const __m128i mixed =
      _mm_xor_si128(turned, _mm_set1_epi64x(static_cast<long long>(block::kLineStart)));
  const __m128i product =
      _mm_mullo_epi64(mixed, _mm_set_epi64x(static_cast<long long>(block::kLineBits),
                                            static_cast<long long>(block::kLinePlace)));
  return _mm_xor_si128(product, _mm_srli_epi64(product, 32));
}

BLOOMERY_INLINE __m512i seeded_windows(const BlockTarget& target, std::uint64_t block,
                                       __m512i bits) {
  return _mm512_multishift_epi64_epi8(_mm512_load_si512(&kControls[target.window_set(block)]),
                                      bits);
}
// A block as it is stored: no alias of the filter's own members, unlike __m512i, so that a loop of
// inserts keeps those in registers. Loaded again after every store, they doubled its time.
typedef long long StoredBlock __attribute__((vector_size(64), aligned(1)));
BLOOMERY_INLINE void store_block(std::byte* block, __m512i value) {
  *reinterpret_cast<StoredBlock*>(block) = (StoredBlock)value;
}

// Sets the bits and answers the sectors whose bit was not set before.
BLOOMERY_INLINE __mmask8 set_bits(std::byte* block, __m512i window, __mmask8 sectors) {
  const __m512i held = _mm512_loadu_si512(block);
  const __m512i mask = _mm512_maskz_rolv_epi64(sectors, all_lanes(1), window);
  store_block(block, _mm512_or_si512(held, mask));
  return _mm512_mask_testn_epi64_mask(sectors, held, mask);
}
BLOOMERY_INLINE __mmask8 set_all_bits(std::byte* block, __m512i window) {
  const __m512i held = _mm512_loadu_si512(block);
  const __m512i mask = _mm512_rolv_epi64(all_lanes(1), window);
  store_block(block, _mm512_or_si512(held, mask));
  return _mm512_testn_epi64_mask(held, mask);
}
BLOOMERY_INLINE __mmask8 missing_bits(const std::byte* block, __m512i window) {
  return _mm512_testn_epi64_mask(_mm512_loadu_si512(block),
                                 _mm512_rolv_epi64(all_lanes(1), window));
}

// Of one key: whether it was certainly new, or may be there. Which sectors a key uses need not be
// asked where it uses all.
enum class Sectors : std::uint8_t { kAll, kSome };

// `patterns` is the row of kSectorMasks for the target's probes.
template <bool kInsert, Sectors kSectors>
BLOOMERY_INLINE bool act_in(const PatternWords* patterns, std::byte* block, std::uint64_t place,
                            __m512i window) {
  if constexpr (kSectors == Sectors::kAll)
    return kInsert ? set_all_bits(block, window) != 0 : missing_bits(block, window) == 0;
  const std::uint64_t* pattern = &patterns->at[block::pattern_number(place)];
  const __mmask8 sectors =
      _load_mask8(reinterpret_cast<__mmask8*>(const_cast<std::uint64_t*>(pattern)));
  if constexpr (kInsert) return set_bits(block, window, sectors) != 0;
  return _mm512_mask_testn_epi64_mask(sectors, _mm512_loadu_si512(block),
                                      _mm512_rolv_epi64(all_lanes(1), window)) == 0;
}
// Byte i of the high word into the lowest byte of lane i: a rotation looks at six bits of it.
BLOOMERY_INLINE __m512i plain_windows(__m128i hash) {
  return _mm512_permutexvar_epi8(_mm512_setr_epi64(8, 9, 10, 11, 12, 13, 14, 15),
                                 _mm512_castsi128_si512(hash));
}
// Of one line that uses all sectors: those whose bit is not set.
BLOOMERY_INLINE __mmask8 missing_in(const BlockTarget& target, __m128i hash) {
  const auto place = static_cast<std::uint64_t>(_mm_cvtsi128_si64(hash));
  return missing_bits(target.blocks + block::block_of(place, target.count) * block::kBlockBytes,
                      plain_windows(hash));
}
template <bool kInsert, Sectors kSectors>
BLOOMERY_INLINE bool one(const BlockTarget& target, const PatternWords* patterns, __m128i hash) {
  const auto place = static_cast<std::uint64_t>(_mm_cvtsi128_si64(hash));
  std::byte* block = target.blocks + block::block_of(place, target.count) * block::kBlockBytes;
  const __m512i window = plain_windows(hash);
  return act_in<kInsert, kSectors>(patterns, block, place, window);
}
// Precondition: several lines. All of them without a branch: their cache misses overlap.
BLOOMERY_INLINE bool look_up_lines(const BlockTarget& target, __m128i hash) {
  __m128i line = next_line(hash);
  __mmask8 missing = _kor_mask8(missing_in(target, hash), missing_in(target, line));
  for (std::uint32_t probes = target.probes; probes > block::kFewestLines * block::kMostProbes;
       probes -= block::kMostProbes) {
    line = next_line(line);
    missing = _kor_mask8(missing, missing_in(target, line));
  }
  return missing == 0;
}
// The same precondition. Two lines may be one block, so that each is stored before the next is
// read.
BLOOMERY_INLINE void set_in(const BlockTarget& target, __m128i hash) {
  const auto place = static_cast<std::uint64_t>(_mm_cvtsi128_si64(hash));
  (void)set_all_bits(target.blocks + block::block_of(place, target.count) * block::kBlockBytes,
                     plain_windows(hash));
}
BLOOMERY_INLINE void insert_lines(const BlockTarget& target, __m128i hash) {
  set_in(target, hash);
  for (std::uint32_t probes = target.probes; probes > block::kMostProbes;
       probes -= block::kMostProbes) {
    hash = next_line(hash);
    set_in(target, hash);
  }
}
template <bool kInsert>
BLOOMERY_INLINE bool one_seeded(const BlockTarget& target, __m128i hash) {
  const auto place = static_cast<std::uint64_t>(_mm_cvtsi128_si64(hash));
  const std::uint64_t number = block::block_of(place, target.count);
  const __m512i bits = _mm512_broadcastq_epi64(_mm_unpackhi_epi64(hash, hash));
  return act_in<kInsert, Sectors::kSome>(patterns_of(target),
                                         target.blocks + number * block::kBlockBytes, place,
                                         seeded_windows(target, number, bits));
}

}  // namespace bloomery::simd::avx512
#endif
