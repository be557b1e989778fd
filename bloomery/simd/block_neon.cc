// The block layout on ARMv8 with AES: a block is four registers.
#include <arm_neon.h>

#include "bloomery/hash/aes_arm.h"
#include "bloomery/simd/block_rows.h"
#include "bloomery/simd/block_table_row.h"

namespace bloomery::simd {
namespace {

constexpr std::size_t kQuarters = 4;

struct alignas(16) Words {
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

// A word for each sector, two in a register: the bits of a key, or how far they are shifted.
struct Sectors {
  uint64x2_t quarter[kQuarters];
};

// A quarter block as it is stored: no alias of the filter's own members, so that a loop of inserts
// keeps those in registers.
typedef long long StoredQuarter __attribute__((vector_size(16), aligned(1)));
BLOOMERY_INLINE Sectors load_block(const std::byte* block) {
  const auto* stored = reinterpret_cast<const StoredQuarter*>(block);
  return {
      {(uint64x2_t)stored[0], (uint64x2_t)stored[1], (uint64x2_t)stored[2], (uint64x2_t)stored[3]}};
}
BLOOMERY_INLINE void store_block(std::byte* block, const Sectors& sectors) {
  auto* stored = reinterpret_cast<StoredQuarter*>(block);
  for (std::size_t i = 0; i < kQuarters; ++i) stored[i] = (StoredQuarter)sectors.quarter[i];
}
BLOOMERY_INLINE uint8x16_t low_six_bits() { return vdupq_n_u8(block::kSectorBits - 1); }

// Byte i of the high word into the lowest byte of lane i, which is all that a shift looks at.
alignas(16) constexpr std::uint64_t kByteOfLane[block::kSectors] = {8, 9, 10, 11, 12, 13, 14, 15};
BLOOMERY_INLINE Sectors in_lanes(uint8x16_t hash) {
  const std::uint64_t* from = kByteOfLane;
  __asm__("" : "+r"(from));  // one address: known constants are each looked up by their own
  Sectors sectors;
  for (std::size_t i = 0; i < kQuarters; ++i)
    sectors.quarter[i] =
        vreinterpretq_u64_u8(vqtbl1q_u8(hash, vreinterpretq_u8_u64(vld1q_u64(from + 2 * i))));
  return sectors;
}
BLOOMERY_INLINE uint64x2_t shifted(uint64x2_t words, uint64x2_t left) {
  return vshlq_u64(words, vreinterpretq_s64_u64(left));
}
BLOOMERY_INLINE bool is_zero(uint64x2_t words) {
  return vmaxvq_u32(vreinterpretq_u32_u64(words)) == 0;
}

template <class Key>
struct NeonAesSource {
  const Key* keys;
  std::uint64_t seed;
};
template <class Source>
inline constexpr bool kIsNeonAes = false;
template <class Key>
inline constexpr bool kIsNeonAes<NeonAesSource<Key>> = true;

// A hash stays in a register: low word the place, high word the bits.
struct Neon : KeyByKey {
  using AesNumberSource = NeonAesSource<std::uint64_t>;
  using AesBytesSource = NeonAesSource<ByteView>;
  // Longer hashes fill their loop by themselves.
  template <class Source>
  static constexpr bool hashes_in_loop() {
    using Plain = std::remove_cvref_t<Source>;
    return kIsNeonAes<Plain> || std::is_same_v<Plain, MixSource>;
  }

  BLOOMERY_INLINE static uint8x16_t one_aes(std::uint64_t key, std::uint64_t seed) {
    return internal::aes_of_number(key, seed);
  }
  BLOOMERY_INLINE static uint8x16_t one_aes(ByteView key, std::uint64_t seed) {
    return internal::aes_of_bytes(key, seed);
  }
  BLOOMERY_INLINE static uint8x16_t one_hash(Hash128 hash) {
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(hash.low), vcreate_u64(hash.high)));
  }
  BLOOMERY_INLINE static uint8x16_t next_line(uint8x16_t line) {
    return one_hash(simd::next_line(internal::words_of(line)));
  }
  template <class Source>
  BLOOMERY_INLINE static void digest(const Source& source, std::size_t i, Hash128& hash) {
    if constexpr (kIsNeonAes<Source>)
      vst1q_u64(&hash.low, vreinterpretq_u64_u8(one_aes(source.keys[i], source.seed)));
    else
      hash = source.digest(i);
  }

  // The six bits of each sector, found by turning `bits` right by its window.
  BLOOMERY_INLINE static Sectors seeded_shifts(uint64x2_t bits, std::uint32_t seed) {
    const int16x8_t windows =
        vreinterpretq_s16_u16(vmovl_u8(vld1_u8(block::kWindows[seed].data())));
    const int32x4_t halves[2] = {vmovl_s16(vget_low_s16(windows)), vmovl_high_s16(windows)};
    Sectors sectors;
    for (std::size_t i = 0; i < kQuarters; ++i) {
      const int64x2_t window =
          i % 2 == 0 ? vmovl_s32(vget_low_s32(halves[i / 2])) : vmovl_high_s32(halves[i / 2]);
      const uint64x2_t turned =
          vorrq_u64(vshlq_u64(bits, vnegq_s64(window)),
                    vshlq_u64(bits, vsubq_s64(vdupq_n_s64(block::kSectorBits), window)));
      sectors.quarter[i] = vandq_u64(turned, vdupq_n_u64(block::kSectorBits - 1));
    }
    return sectors;
  }
  // What a key sets in its block.
  template <Mode kMode>
  BLOOMERY_INLINE static Sectors mask_of(const BlockTarget& target, std::uint64_t offset,
                                         std::uint64_t place, uint8x16_t hash) {
    Sectors mask;
    if constexpr (kMode == Mode::kSeeded)
      mask = seeded_shifts(vdupq_laneq_u64(vreinterpretq_u64_u8(hash), 1),
                           target.window_set(offset / block::kBlockBytes));
    else
      mask = in_lanes(vandq_u8(hash, low_six_bits()));
    if constexpr (kMode == Mode::kAllSectors) {
      for (uint64x2_t& quarter : mask.quarter) quarter = shifted(vdupq_n_u64(1), quarter);
    } else {
      const Words& used =
          kPatternLanes[target.probes - block::kFewestProbes][block::pattern_number(place)];
      for (std::size_t i = 0; i < kQuarters; ++i)
        mask.quarter[i] = shifted(vld1q_u64(used.at + 2 * i), mask.quarter[i]);
    }
    return mask;
  }
  // A lookup that uses all sectors: each asked bit is shifted to the top of its lane, by 63 less
  // its number.
  BLOOMERY_INLINE static bool has_all(const std::byte* block, uint8x16_t hash) {
    const Sectors held = load_block(block);
    const Sectors shifts = in_lanes(vbicq_u8(low_six_bits(), hash));
    uint64x2_t all = shifted(held.quarter[0], shifts.quarter[0]);
    for (std::size_t i = 1; i < kQuarters; ++i)
      all = vandq_u64(all, shifted(held.quarter[i], shifts.quarter[i]));
    return (vgetq_lane_u64(all, 0) & vgetq_lane_u64(all, 1)) >> 63 != 0;
  }
  template <Act kAct>
  BLOOMERY_INLINE static bool act_in(std::byte* block, const Sectors& mask) {
    const Sectors held = load_block(block);
    uint64x2_t missing = vbicq_u64(mask.quarter[0], held.quarter[0]);
    for (std::size_t i = 1; i < kQuarters; ++i)
      missing = vorrq_u64(missing, vbicq_u64(mask.quarter[i], held.quarter[i]));
    if constexpr (kAct == Act::kLookup) return is_zero(missing);
    Sectors all;
    for (std::size_t i = 0; i < kQuarters; ++i)
      all.quarter[i] = vorrq_u64(held.quarter[i], mask.quarter[i]);
    store_block(block, all);
    return !is_zero(missing);
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static bool in_block(const BlockTarget& target, std::uint64_t offset,
                                       std::uint64_t place, uint8x16_t hash) {
    if constexpr (kMode == Mode::kAllSectors && kAct == Act::kLookup)
      return has_all(target.blocks + offset, hash);
    else
      return act_in<kAct>(target.blocks + offset, mask_of<kMode>(target, offset, place, hash));
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static void act(const BlockTarget& target, Ring& ring, std::size_t slot) {
#pragma GCC unroll 8
    for (std::size_t j = slot; j < slot + kGroup; ++j) {
      const Hash128& hash = ring.hashes[j];
      const bool yes = in_block<kMode, kAct>(target, ring.offset[j], hash.low,
                                             vreinterpretq_u8_u64(vld1q_u64(&hash.low)));
      if constexpr (kAct != Act::kAdd) ring.result[j] = yes ? 1 : 0;
    }
  }
  // Byte i, 0 or 1, becomes bit i: the product has it at 56 + i, and no two bytes meet there.
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static std::uint8_t finish(const Ring& ring, std::size_t slot) {
    const auto results =
        load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(ring.result + slot));
    return static_cast<std::uint8_t>(results * 0x0102040810204080U >> 56);
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static bool one(const BlockTarget& target, uint8x16_t hash) {
    const std::uint64_t place = vgetq_lane_u64(vreinterpretq_u64_u8(hash), 0);
    const std::uint64_t offset = block::block_of(place, target.count) * block::kBlockBytes;
    return in_block<kMode, kAct>(target, offset, place, hash);
  }

  static std::uint64_t product_of_fills(const Sectors& block) {
    std::uint64_t product = 1;
    for (const uint64x2_t quarter : block.quarter) {
      const uint64x2_t fills =
          vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(quarter)))));
      product *= vgetq_lane_u64(fills, 0) * vgetq_lane_u64(fills, 1);
    }
    return product;
  }
  static std::uint8_t best_windows(const Hash128* keys, std::size_t count, std::uint32_t probes,
                                   std::uint32_t sets, block::BlockMask& best) noexcept {
    std::uint64_t smallest = ~std::uint64_t{0};
    std::uint8_t best_seed = 0;
    const PatternLanes& lanes = kPatternLanes[probes - block::kFewestProbes];
    for (std::uint32_t seed = 0; seed < sets; ++seed) {
      Sectors block{};
      for (std::size_t i = 0; i < count; ++i) {
        const Words& used = lanes[block::pattern_number(keys[i].low)];
        const Sectors shifts = seeded_shifts(vdupq_n_u64(keys[i].high), seed);
        for (std::size_t j = 0; j < kQuarters; ++j)
          block.quarter[j] =
              vorrq_u64(block.quarter[j], shifted(vld1q_u64(used.at + 2 * j), shifts.quarter[j]));
      }
      const std::uint64_t product = product_of_fills(block);
      if (product >= smallest) continue;
      smallest = product;
      best_seed = static_cast<std::uint8_t>(seed);
      for (std::size_t j = 0; j < kQuarters; ++j) vst1q_u64(best.data() + 2 * j, block.quarter[j]);
    }
    return best_seed;
  }
};

}  // namespace

constinit const BlockKernels kBlockNeon = kernels_of<Neon>("neon");

}  // namespace bloomery::simd
