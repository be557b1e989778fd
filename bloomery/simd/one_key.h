// One key at a time: through the table of kernels, or inlined where the caller is compiled for the
// CPU that it runs on.
#pragma once
#include <type_traits>

#include "bloomery/simd/block_avx2.h"
#include "bloomery/simd/block_avx512.h"

namespace bloomery::simd {

class OneKeyKernels {
 public:
  OneKeyKernels() = default;
  // Bytes stay out of the inlined code where the filter's keys are numbers: they are hashed in
  // another way.
  OneKeyKernels(const BlockKernels& kernels, const BlockTarget& target, bool whole_numbers = false)
      : hashes_{kernels.hashes.one_key(target)},
        numbers_{kernels.numbers.one_key(target)},
        bytes_{kernels.bytes.one_key(target)} {
    find_inlined(kernels, target);
    inlined_bytes_ = whole_numbers ? 0 : inlined_;
  }

  // Whether calls are inlined here, in the code that was compiled with these flags.
  template <class Key>
  BLOOMERY_INLINE bool is_inlined() const {
    if constexpr (std::is_same_v<Key, ByteView>) return (inlined_bytes_ & kInlinedHere) != 0;
    return std::is_same_v<Key, std::uint64_t> && (inlined_ & kInlinedHere) != 0;
  }
  // Two more such bytes, for its owner: it asks one byte before a key, not two.
  BLOOMERY_INLINE bool is_adding_numbers() const { return (adding_numbers_ & kAddingHere) != 0; }
  BLOOMERY_INLINE bool is_adding_bytes() const { return (adding_bytes_ & kAddingHere) != 0; }
  void start_adding(bool whole_numbers) {
    adding_numbers_ = inlined_ | kCalled;
    adding_bytes_ = whole_numbers ? 0 : adding_numbers_;
  }
  void stop_adding() { adding_numbers_ = adding_bytes_ = 0; }

  // Precondition of the next two: is_adding_numbers(), is_adding_bytes().
  BLOOMERY_INLINE void add(const BlockTarget& target, std::uint64_t key) const {
#if defined(BLOOMERY_HAS_AVX512)
    (void)act_inlined<true>(adding_numbers_, target, avx512::aes_number(key, target.hasher.seed()));
#elif defined(BLOOMERY_HAS_AVX2)
    (void)avx2::one<true>(target, avx2::aes_number(key, target.hasher.seed()));
#else
    (void)numbers_.insert(target, key);
#endif
  }
  BLOOMERY_INLINE void add(const BlockTarget& target, ByteView key) const {
#if defined(BLOOMERY_HAS_AVX512)
    (void)act_inlined<true>(adding_bytes_, target, avx512::aes_bytes(key, target.hasher.seed()));
#elif defined(BLOOMERY_HAS_AVX2)
    (void)avx2::one<true>(target, avx2::aes_bytes(key, target.hasher.seed()));
#else
    (void)bytes_.insert(target, key);
#endif
  }

  // Adds to several lines, where the caller is compiled for that. False, and nothing done,
  // elsewhere and before start_adding().
  BLOOMERY_INLINE bool add_lines([[maybe_unused]] const BlockTarget& target,
                                 [[maybe_unused]] std::uint64_t key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if ((adding_numbers_ & kAvx512Lines) == 0) return false;
    insert_lines(target, key);
    return true;
#else
    return false;
#endif
  }
  BLOOMERY_INLINE bool add_lines(const BlockTarget&, ByteView) const { return false; }

  BLOOMERY_INLINE bool insert(const BlockTarget& target, Hash128 key) const {
    return hashes_.insert(target, key);
  }
  BLOOMERY_INLINE bool may_contain(const BlockTarget& target, Hash128 key) const {
    return hashes_.may_contain(target, key);
  }
  BLOOMERY_INLINE bool insert(const BlockTarget& target, std::uint64_t key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (is_inlined<std::uint64_t>())
      return act_inlined<true>(inlined_, target, avx512::aes_number(key, target.hasher.seed()));
#elif defined(BLOOMERY_HAS_AVX2)
    if (is_inlined<std::uint64_t>())
      return avx2::one<true>(target, avx2::aes_number(key, target.hasher.seed()));
#endif
    return numbers_.insert(target, key);
  }
  BLOOMERY_INLINE bool insert(const BlockTarget& target, ByteView key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (is_inlined<ByteView>())
      return act_inlined<true>(inlined_bytes_, target,
                               avx512::aes_bytes(key, target.hasher.seed()));
#elif defined(BLOOMERY_HAS_AVX2)
    if (is_inlined<ByteView>())
      return avx2::one<true>(target, avx2::aes_bytes(key, target.hasher.seed()));
#endif
    return bytes_.insert(target, key);
  }
  BLOOMERY_INLINE bool may_contain(const BlockTarget& target, std::uint64_t key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (is_inlined<std::uint64_t>())
      return act_inlined<false>(inlined_, target, avx512::aes_number(key, target.hasher.seed()));
    if ((inlined_ & kAvx512Lines) != 0) return look_up_lines(target, key);
#elif defined(BLOOMERY_HAS_AVX2)
    if (is_inlined<std::uint64_t>())
      return avx2::one<false>(target, avx2::aes_number(key, target.hasher.seed()));
#endif
    return numbers_.may_contain(target, key);
  }
  // The call is cold and pure where lookups are inlined: a loop then keeps the hash's constants in
  // registers. Lookups of numbers have few constants, and became slower so.
  BLOOMERY_INLINE bool may_contain(const BlockTarget& target, ByteView key) const {
#if defined(BLOOMERY_HAS_AVX512)
    if (is_inlined<ByteView>())
      return act_inlined<false>(inlined_bytes_, target,
                                avx512::aes_bytes(key, target.hasher.seed()));
    return look_up_apart(bytes_.may_contain, target, key);
#elif defined(BLOOMERY_HAS_AVX2)
    if (is_inlined<ByteView>())
      return avx2::one<false>(target, avx2::aes_bytes(key, target.hasher.seed()));
    return look_up_apart(bytes_.may_contain, target, key);
#else
    return bytes_.may_contain(target, key);
#endif
  }

 private:
  void find_inlined(const BlockKernels& kernels, const BlockTarget& target) {
    if (target.hasher.profile() != Profile::kAes || target.seeds != nullptr) return;
    const bool all_sectors = target.probes == block::kMostProbes;
    const bool has_avx512 = kernels.name == "avx512";
    if (block::lines_of(target.probes) > 1) {
      inlined_ = has_avx512 ? kAvx512Lines : 0;
      return;
    }
    if (has_avx512) patterns_ = avx512::patterns_of(target);
    if (has_avx512) inlined_ |= all_sectors ? kAvx512All : kAvx512Some;
    if (all_sectors && (has_avx512 || kernels.name == "avx2")) inlined_ |= kAvx2All;
  }

  // What may be inlined for this target on this CPU: one byte, because it is asked before every
  // key. kCalled: adding, inlined or not.
  enum : std::uint8_t {
    kAvx2All = 1,
    kAvx512All = 2,
    kAvx512Some = 4,
    kAvx512Lines = 8,
    kCalled = 16
  };
#if defined(BLOOMERY_HAS_AVX512)
  static constexpr std::uint8_t kInlinedHere = kAvx512All | kAvx512Some;
#elif defined(BLOOMERY_HAS_AVX2)
  static constexpr std::uint8_t kInlinedHere = kAvx2All;
#else
  static constexpr std::uint8_t kInlinedHere = 0;
#endif
  // Where inserts are inlined, only inlined ones are added so: a call in the same loop makes the
  // compiler read the filter again for every key.
  static constexpr std::uint8_t kAddingHere =
      kInlinedHere != 0 ? kInlinedHere : std::uint8_t{kCalled};

#if defined(BLOOMERY_HAS_AVX512)
  template <bool kInsert>
  BLOOMERY_INLINE bool act_inlined(std::uint8_t inlined, const BlockTarget& target,
                                   __m128i hash) const {
    using avx512::Sectors;
    if ((inlined & kAvx512All) != 0)
      return avx512::one<kInsert, Sectors::kAll>(target, patterns_, hash);
    return avx512::one<kInsert, Sectors::kSome>(target, patterns_, hash);
  }
  // A call, but one of a function that is compiled for this CPU. Inlined, it made a loop of lookups
  // so large that filters of one line became half as fast.
  [[gnu::noinline]] static bool look_up_lines(const BlockTarget& target, std::uint64_t key) {
    return avx512::look_up_lines(target, avx512::aes_number(key, target.hasher.seed()));
  }
  [[gnu::noinline]] static void insert_lines(const BlockTarget& target, std::uint64_t key) {
    avx512::insert_lines(target, avx512::aes_number(key, target.hasher.seed()));
  }
#endif
#if defined(BLOOMERY_HAS_AVX2)
  template <class Key>
  [[gnu::noinline, gnu::cold, gnu::pure]] static bool look_up_apart(
      bool (*look_up)(const BlockTarget&, Key) noexcept, const BlockTarget& target, Key key) {
    return look_up(target, key);
  }
#endif

  const avx512::PatternWords* patterns_ = nullptr;
  OneKey<Hash128> hashes_{};
  OneKey<std::uint64_t> numbers_{};
  OneKey<ByteView> bytes_{};
  std::uint8_t inlined_ = 0;
  std::uint8_t inlined_bytes_ = 0;
  std::uint8_t adding_numbers_ = 0;
  std::uint8_t adding_bytes_ = 0;
};

}  // namespace bloomery::simd
