// One key at a time: through the table of kernels, or inlined where the caller is compiled for the
// CPU that it runs on.
#pragma once
#include "bloomery/simd/block_avx512.h"

namespace bloomery::simd {

class OneKeyKernels {
 public:
  OneKeyKernels() = default;
  OneKeyKernels(const BlockKernels& kernels, const BlockTarget& target)
      : hashes_{kernels.hashes.one_key(target)},
        numbers_{kernels.numbers.one_key(target)},
        bytes_{kernels.bytes.one_key(target)} {
    if (kernels.name != "avx512" || target.hasher.profile() != Profile::kAes) return;
    if (target.seeds != nullptr) return;
    patterns_ = avx512::patterns_of(target);
    inlined_ = target.probes == block::kMostProbes ? Inlined::kAllSectors : Inlined::kSomeSectors;
  }

  BLOOMERY_INLINE bool insert(const BlockTarget& target, Hash128 key) const {
    return hashes_.insert(target, key);
  }
  BLOOMERY_INLINE bool may_contain(const BlockTarget& target, Hash128 key) const {
    return hashes_.may_contain(target, key);
  }
  BLOOMERY_INLINE bool insert(const BlockTarget& target, std::uint64_t key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (inlined_ != Inlined::kNone)
      return act_inlined<true>(target, avx512::aes_number(key, target.hasher.seed()));
#endif
    return numbers_.insert(target, key);
  }
  BLOOMERY_INLINE bool may_contain(const BlockTarget& target, std::uint64_t key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (inlined_ != Inlined::kNone)
      return act_inlined<false>(target, avx512::aes_number(key, target.hasher.seed()));
#endif
    return numbers_.may_contain(target, key);
  }
  BLOOMERY_INLINE bool insert(const BlockTarget& target, ByteView key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (inlined_ != Inlined::kNone)
      return act_inlined<true>(target, avx512::aes_bytes(key, target.hasher.seed()));
#endif
    return bytes_.insert(target, key);
  }
  BLOOMERY_INLINE bool may_contain(const BlockTarget& target, ByteView key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (inlined_ != Inlined::kNone)
      return act_inlined<false>(target, avx512::aes_bytes(key, target.hasher.seed()));
#endif
    return bytes_.may_contain(target, key);
  }

 private:
  // Which targets are worth inlining: one byte, for it is asked before every key.
  enum class Inlined : std::uint8_t { kNone, kAllSectors, kSomeSectors };

#if defined(BLOOMERY_HAS_AVX512)
  template <bool kInsert>
  BLOOMERY_INLINE bool act_inlined(const BlockTarget& target, __m128i hash) const {
    using avx512::Sectors;
    if (inlined_ == Inlined::kAllSectors)
      return avx512::one<kInsert, Sectors::kAll>(target, patterns_, hash);
    return avx512::one<kInsert, Sectors::kSome>(target, patterns_, hash);
  }
#endif

  const avx512::PatternWords* patterns_ = nullptr;
  OneKey<Hash128> hashes_{};
  OneKey<std::uint64_t> numbers_{};
  OneKey<ByteView> bytes_{};
  Inlined inlined_ = Inlined::kNone;
};

}  // namespace bloomery::simd
