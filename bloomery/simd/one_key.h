// One key at a time: through the table of kernels, or inlined where the caller is compiled for the
// CPU that it runs on.
#pragma once
#include "bloomery/simd/block_avx2.h"
#include "bloomery/simd/block_avx512.h"

namespace bloomery::simd {

class OneKeyKernels {
 public:
  OneKeyKernels() = default;
  OneKeyKernels(const BlockKernels& kernels, const BlockTarget& target)
      : hashes_{kernels.hashes.one_key(target)},
        numbers_{kernels.numbers.one_key(target)},
        bytes_{kernels.bytes.one_key(target)} {
    if (target.hasher.profile() != Profile::kAes || target.seeds != nullptr) return;
    const bool all_sectors = target.probes == block::kMostProbes;
    const bool has_avx512 = kernels.name == "avx512";
    if (has_avx512) patterns_ = avx512::patterns_of(target);
    if (has_avx512) inlined_ |= all_sectors ? kAvx512All : kAvx512Some;
    if (all_sectors && (has_avx512 || kernels.name == "avx2")) inlined_ |= kAvx2All;
  }

  // Whether calls with numbers are inlined here, in the code that was compiled with these flags.
  BLOOMERY_INLINE bool is_inlined() const { return (inlined_ & kInlinedHere) != 0; }
  // A second such byte, for its owner: it asks one byte before a key, not two.
  BLOOMERY_INLINE bool is_adding() const { return (adding_ & kInlinedHere) != 0; }
  void start_adding() { adding_ = inlined_; }
  void stop_adding() { adding_ = 0; }

  // Precondition of the next two: is_adding().
  BLOOMERY_INLINE void add(const BlockTarget& target, std::uint64_t key) const {
#if defined(BLOOMERY_HAS_AVX512)
    (void)act_inlined<true>(adding_, target, avx512::aes_number(key, target.hasher.seed()));
#elif defined(BLOOMERY_HAS_AVX2)
    (void)avx2::one<true>(target, avx2::aes_number(key, target.hasher.seed()));
#else
    (void)numbers_.insert(target, key);
#endif
  }
  BLOOMERY_INLINE void add(const BlockTarget& target, ByteView key) const {
#if defined(BLOOMERY_HAS_AVX512)
    (void)act_inlined<true>(adding_, target, avx512::aes_bytes(key, target.hasher.seed()));
#else
    (void)bytes_.insert(target, key);
#endif
  }

  BLOOMERY_INLINE bool insert(const BlockTarget& target, Hash128 key) const {
    return hashes_.insert(target, key);
  }
  BLOOMERY_INLINE bool may_contain(const BlockTarget& target, Hash128 key) const {
    return hashes_.may_contain(target, key);
  }
  BLOOMERY_INLINE bool insert(const BlockTarget& target, std::uint64_t key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (is_inlined())
      return act_inlined<true>(inlined_, target, avx512::aes_number(key, target.hasher.seed()));
#elif defined(BLOOMERY_HAS_AVX2)
    if (is_inlined()) return avx2::one<true>(target, avx2::aes_number(key, target.hasher.seed()));
#endif
    return numbers_.insert(target, key);
  }
  BLOOMERY_INLINE bool may_contain(const BlockTarget& target, std::uint64_t key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (is_inlined())
      return act_inlined<false>(inlined_, target, avx512::aes_number(key, target.hasher.seed()));
#elif defined(BLOOMERY_HAS_AVX2)
    if (is_inlined()) return avx2::one<false>(target, avx2::aes_number(key, target.hasher.seed()));
#endif
    return numbers_.may_contain(target, key);
  }
  BLOOMERY_INLINE bool insert(const BlockTarget& target, ByteView key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (is_inlined())
      return act_inlined<true>(inlined_, target, avx512::aes_bytes(key, target.hasher.seed()));
#endif
    return bytes_.insert(target, key);
  }
  BLOOMERY_INLINE bool may_contain(const BlockTarget& target, ByteView key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (is_inlined())
      return act_inlined<false>(inlined_, target, avx512::aes_bytes(key, target.hasher.seed()));
#endif
    return bytes_.may_contain(target, key);
  }

 private:
  // What may be inlined for this target on this CPU: one byte, because it is asked before every
  // key.
  enum : std::uint8_t { kAvx2All = 1, kAvx512All = 2, kAvx512Some = 4 };
#if defined(BLOOMERY_HAS_AVX512)
  static constexpr std::uint8_t kInlinedHere = kAvx512All | kAvx512Some;
#elif defined(BLOOMERY_HAS_AVX2)
  static constexpr std::uint8_t kInlinedHere = kAvx2All;
#else
  static constexpr std::uint8_t kInlinedHere = 0;
#endif

#if defined(BLOOMERY_HAS_AVX512)
  template <bool kInsert>
  BLOOMERY_INLINE bool act_inlined(std::uint8_t inlined, const BlockTarget& target,
                                   __m128i hash) const {
    using avx512::Sectors;
    if ((inlined & kAvx512All) != 0)
      return avx512::one<kInsert, Sectors::kAll>(target, patterns_, hash);
    return avx512::one<kInsert, Sectors::kSome>(target, patterns_, hash);
  }
#endif

  const avx512::PatternWords* patterns_ = nullptr;
  OneKey<Hash128> hashes_{};
  OneKey<std::uint64_t> numbers_{};
  OneKey<ByteView> bytes_{};
  std::uint8_t inlined_ = 0;
  std::uint8_t adding_ = 0;
};

}  // namespace bloomery::simd
