// Keccak-256 in two lanes, on any aarch64 CPU.
#include <arm_neon.h>

#include "bloomery/simd/keccak_lanes.h"

namespace bloomery::simd {
namespace {

struct TwoLanes {
  using Lane = uint64x2_t;
  BLOOMERY_INLINE static Lane load(const std::uint64_t* from) { return vld1q_u64(from); }
  BLOOMERY_INLINE static void store(std::uint64_t* to, Lane lane) { vst1q_u64(to, lane); }
  BLOOMERY_INLINE static Lane broadcast(std::uint64_t word) { return vdupq_n_u64(word); }
  BLOOMERY_INLINE static Lane exclusive_or(Lane a, Lane b) { return veorq_u64(a, b); }
  BLOOMERY_INLINE static Lane exclusive_or_5(Lane a, Lane b, Lane c, Lane d, Lane e) {
    return exclusive_or(exclusive_or(exclusive_or(a, b), exclusive_or(c, d)), e);
  }
  BLOOMERY_INLINE static Lane chi(Lane a, Lane b, Lane c) { return veorq_u64(a, vbicq_u64(c, b)); }
  template <int kBits>
  BLOOMERY_INLINE static Lane rotate(Lane a) {
    if constexpr (kBits == 0)
      return a;
    else
      return vsriq_n_u64(vshlq_n_u64(a, kBits), a, 64 - kBits);
  }
};

// Both lanes cost more than one key in plain words.
struct OneKeyAlone {
  static constexpr std::size_t kLanes = 1;
  static void hash(const ByteView* keys, std::size_t /*count*/, Keccak256Digest* digests) {
    digests[0] = keccak256(keys[0]);
  }
  static void hash_long(const ByteView* keys, std::size_t count, Keccak256Digest* digests) {
    hash(keys, count, digests);
  }
};

}  // namespace

constinit const KeccakKernels kKeccakNeon = {"neon", hash_in_lanes<Sponges<TwoLanes>, OneKeyAlone>};

}  // namespace bloomery::simd
