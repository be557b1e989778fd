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
    if (inlined_ == Inlined::kAllSectors)
      return avx512::one<true, kAll>(target, patterns_,
                                     avx512::aes_number(key, target.hasher.seed()));
    if (inlined_ == Inlined::kSomeSectors)
      return avx512::one<true, kSome>(target, patterns_,
                                      avx512::aes_number(key, target.hasher.seed()));
#endif
    return numbers_.insert(target, key);
  }
  BLOOMERY_INLINE bool may_contain(const BlockTarget& target, std::uint64_t key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (inlined_ == Inlined::kAllSectors)
      return avx512::one<false, kAll>(target, patterns_,
                                      avx512::aes_number(key, target.hasher.seed()));
    if (inlined_ == Inlined::kSomeSectors)
      return avx512::one<false, kSome>(target, patterns_,
                                       avx512::aes_number(key, target.hasher.seed()));
#endif
    return numbers_.may_contain(target, key);
  }
  BLOOMERY_INLINE bool insert(const BlockTarget& target, ByteView key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (inlined_ == Inlined::kAllSectors)
      return avx512::one<true, kAll>(target, patterns_,
                                     avx512::aes_bytes(key, target.hasher.seed()));
    if (inlined_ == Inlined::kSomeSectors)
      return avx512::one<true, kSome>(target, patterns_,
                                      avx512::aes_bytes(key, target.hasher.seed()));
#endif
    return bytes_.insert(target, key);
  }
  BLOOMERY_INLINE bool may_contain(const BlockTarget& target, ByteView key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (inlined_ == Inlined::kAllSectors)
      return avx512::one<false, kAll>(target, patterns_,
                                      avx512::aes_bytes(key, target.hasher.seed()));
    if (inlined_ == Inlined::kSomeSectors)
      return avx512::one<false, kSome>(target, patterns_,
                                       avx512::aes_bytes(key, target.hasher.seed()));
#endif
    return bytes_.may_contain(target, key);
  }

 private:
  // Which targets are worth inlining: one byte, for it is asked before every key.
  enum class Inlined : std::uint8_t { kNone, kAllSectors, kSomeSectors };

#if defined(BLOOMERY_HAS_AVX512)
  static constexpr avx512::Sectors kAll = avx512::Sectors::kAll;
  static constexpr avx512::Sectors kSome = avx512::Sectors::kSome;
#endif

  const avx512::PatternWords* patterns_ = nullptr;
  OneKey<Hash128> hashes_{};
  OneKey<std::uint64_t> numbers_{};
  OneKey<ByteView> bytes_{};
  Inlined inlined_ = Inlined::kNone;
};

}  // namespace bloomery::simd
