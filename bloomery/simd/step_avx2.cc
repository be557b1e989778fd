// Probes of a rotated 32-bit hash on AVX2: of one key eight at a time, or of eight keys.
#include <immintrin.h>

#include "bloomery/hash/murmur1.h"
#include "bloomery/simd/block_kernels.h"
#include "bloomery/simd/step_kernels.h"

namespace bloomery::simd {
namespace {

constexpr std::uint32_t kLanes = 8;

struct alignas(32) Lanes {
  std::uint32_t at[kLanes];
};

BLOOMERY_INLINE __m256i spread(std::uint32_t value) {
  return _mm256_set1_epi32(static_cast<int>(value));
}

// (h >> 3) mod bytes of four probes of one key. The quotient is a product of doubles: the
// reciprocal is rounded up by 2^-50 of itself, more than all rounding errors together, and a number
// of 29 bits times that is still less than the 1 / bytes that would reach the next whole quotient.
class ByteOf {
 public:
  BLOOMERY_INLINE explicit ByteOf(std::uint32_t bytes)
      : reciprocal_{_mm256_set1_pd((1 + 0x1p-50) / static_cast<double>(static_cast<int>(bytes)))},
        bytes_{_mm_set1_epi32(static_cast<int>(bytes))} {}
  BLOOMERY_INLINE __m128i operator()(__m128i hashes) const {
    const __m128i number = _mm_srli_epi32(hashes, 3);
    const __m128i quotient =
        _mm256_cvttpd_epi32(_mm256_mul_pd(_mm256_cvtepi32_pd(number), reciprocal_));
    return _mm_sub_epi32(number, _mm_mullo_epi32(quotient, bytes_));
  }

 private:
  __m256d reciprocal_;
  __m128i bytes_;
};

// The same for many keys: more work before the first (Granlund and Montgomery 1994), less for each.
// The factor has 29 or 30 bits, so a product fits 64.
class ByteOfMany {
 public:
  explicit ByteOfMany(std::uint32_t bytes) {
    const int width = bytes == 1 ? 0 : 32 - __builtin_clz(bytes - 1);
    const std::uint64_t factor = ((std::uint64_t{1} << (29 + width)) + bytes - 1) / bytes;
    factor_ = _mm256_set1_epi64x(static_cast<long long>(factor));
    shift_ = _mm_cvtsi32_si128(29 + width);
    bytes_ = spread(bytes);
  }
  BLOOMERY_INLINE __m256i operator()(__m256i hashes) const {
    const __m256i number = _mm256_srli_epi32(hashes, 3);
    const __m256i even = _mm256_mul_epu32(number, factor_);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(number, 32), factor_);
    const __m256i quotient = _mm256_blend_epi32(
        _mm256_srl_epi64(even, shift_), _mm256_slli_epi64(_mm256_srl_epi64(odd, shift_), 32), 0xaa);
    return _mm256_sub_epi32(number, _mm256_mullo_epi32(quotient, bytes_));
  }

 private:
  __m256i factor_;
  __m128i shift_;
  __m256i bytes_;
};

// Through memory, and the compiler may not see that: taking lanes out one by one costs twice as
// many instructions as storing them together.
BLOOMERY_INLINE void store(Lanes& to, __m256i from) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(to.at), from);
  __asm__("" : "+m"(to));
}

// Up to four probes without a branch. A gather would read beyond the last byte of the filter; these
// loads do not.
template <std::uint32_t kProbes>
BLOOMERY_INLINE bool lanes_set(const std::byte* bits, ByteOf byte_of, __m128i hashes) {
  static_assert(kProbes >= 1 && kProbes <= 4);
  alignas(16) std::uint32_t bytes[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(bytes), byte_of(hashes));
  __asm__("" : "+m"(bytes));  // as in store()
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < kProbes; ++i)
    found |= static_cast<std::uint32_t>(bits[bytes[i]]) << (8 * i);
  const __m128i shifted =
      _mm_srlv_epi32(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(static_cast<int>(found))),
                     _mm_and_si128(hashes, _mm_set1_epi32(7)));
  const __m128i wanted = _mm_setr_epi32(1, kProbes > 1, kProbes > 2, kProbes > 3);
  return _mm_testc_si128(shifted, wanted) != 0;
}

// Four probes at a time: one in twenty absent keys passes the first four, so that the branch after
// them is predicted, and the memory of the others is left alone. A branch after each probe would be
// mispredicted half the time; none at all fetches all lines of a filter that is not in the cache.
BLOOMERY_INLINE bool all_set(const std::byte* bits, StepShape shape, std::uint32_t hash) {
  const ByteOf byte_of{shape.bytes};
  const std::uint32_t step = hash >> 17 | hash << 15;
  __m128i hashes = _mm_add_epi32(
      _mm_set1_epi32(static_cast<int>(hash)),
      _mm_mullo_epi32(_mm_set1_epi32(static_cast<int>(step)), _mm_setr_epi32(0, 1, 2, 3)));
  std::uint32_t left = shape.probes;
  for (; left > 4; left -= 4) {
    if (!lanes_set<4>(bits, byte_of, hashes)) return false;
    hashes = _mm_add_epi32(hashes, _mm_set1_epi32(static_cast<int>(4 * step)));
  }
  switch (left) {
    case 1:
      return lanes_set<1>(bits, byte_of, hashes);
    case 2:
      return lanes_set<2>(bits, byte_of, hashes);
    case 3:
      return lanes_set<3>(bits, byte_of, hashes);
    default:
      return lanes_set<4>(bits, byte_of, hashes);
  }
}

bool may_contain(const std::byte* bits, StepShape shape, std::uint32_t hash) noexcept {
  return all_set(bits, shape, hash);
}
bool may_contain_key(const std::byte* bits, StepShape shape, ByteView key,
                     std::uint32_t seed) noexcept {
  return all_set(bits, shape, internal::murmur1_inlined(key, seed));
}

// Six probes of eight keys are computed, and fetched where the filter is large, before any of them
// is written.
template <bool kFetch>
void insert_eight(std::byte* bits, std::uint32_t probes, const ByteOfMany& byte_of,
                  __m256i hashes) {
  constexpr std::uint32_t kTogether = 6;
  const __m256i step =
      _mm256_or_si256(_mm256_srli_epi32(hashes, 17), _mm256_slli_epi32(hashes, 15));
  Lanes bytes[kTogether];
  Lanes masks[kTogether];
  for (std::uint32_t done = 0; done < probes; done += kTogether) {
    const std::uint32_t now = probes - done < kTogether ? probes - done : kTogether;
    for (std::uint32_t i = 0; i < now; ++i, hashes = _mm256_add_epi32(hashes, step)) {
      store(bytes[i], byte_of(hashes));
      store(masks[i], _mm256_sllv_epi32(spread(1), _mm256_and_si256(hashes, spread(7))));
      if constexpr (kFetch)
        for (const std::uint32_t byte : bytes[i].at) __builtin_prefetch(bits + byte, 1);
    }
    for (std::uint32_t i = 0; i < now; ++i)
      for (std::uint32_t j = 0; j < kLanes; ++j)
        bits[bytes[i].at[j]] |= static_cast<std::byte>(masks[i].at[j]);
  }
}

template <bool kFetch>
void insert_all(std::byte* bits, StepShape shape, const std::uint32_t* hashes, std::size_t count) {
  const ByteOfMany byte_of{shape.bytes};
  std::size_t at = 0;
  for (; at + kLanes <= count; at += kLanes)
    insert_eight<kFetch>(bits, shape.probes, byte_of,
                         _mm256_loadu_si256(reinterpret_cast<const __m256i*>(hashes + at)));
  if (at == count) return;
  // The last few: the last of them again and again, which sets no other bits.
  Lanes rest;
  for (std::size_t i = 0; i < kLanes; ++i) rest.at[i] = hashes[at + i < count ? at + i : count - 1];
  insert_eight<kFetch>(bits, shape.probes, byte_of,
                       _mm256_load_si256(reinterpret_cast<const __m256i*>(rest.at)));
}

void insert_batch(std::byte* bits, StepShape shape, const std::uint32_t* hashes,
                  std::size_t count) noexcept {
  if (shape.bytes >= kFetchAheadFromBytes)
    insert_all<true>(bits, shape, hashes, count);
  else
    insert_all<false>(bits, shape, hashes, count);
}

}  // namespace

const StepKernels kStepAvx2 = {"avx2", may_contain, may_contain_key, insert_batch};

}  // namespace bloomery::simd
