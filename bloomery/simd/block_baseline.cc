// The block layout in plain 64-bit code, for every CPU.
#include <bit>

#include "bloomery/base/endian.h"
#include "bloomery/simd/block_rows.h"
#include "bloomery/simd/block_table_row.h"

namespace bloomery::simd {
namespace {

struct Baseline : KeyByKey {
  using AesNumberSource = AesSource<Baseline, std::uint64_t>;
  using AesBytesSource = AesSource<Baseline, ByteView>;
  template <class Source>
  static constexpr bool hashes_in_loop() {
    return false;
  }

  static Hash128 one_aes(std::uint64_t key, std::uint64_t seed) { return aes_hash_u64(key, seed); }
  static Hash128 one_aes(ByteView key, std::uint64_t seed) { return aes_hash_bytes(key, seed); }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static void act(const BlockTarget& target, Ring& ring, std::size_t slot) {
    for (std::size_t j = slot; j < slot + kGroup; ++j)
      ring.result[j] = in_block<kMode, kAct>(target, ring.offset[j], ring.hashes[j]) ? 1 : 0;
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static std::uint8_t finish(const Ring& ring, std::size_t slot) {
    std::uint32_t mask = 0;
    for (std::size_t j = 0; j < kGroup; ++j) mask |= std::uint32_t{ring.result[slot + j]} << j;
    return static_cast<std::uint8_t>(mask);
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static bool one(const BlockTarget& target, Hash128 hash) {
    const std::uint64_t offset = block::block_of(hash.low, target.count) * block::kBlockBytes;
    return in_block<kMode, kAct>(target, offset, hash);
  }

  // Zero where the sector is not used: no branch, since which ones are is as good as random.
  template <Mode kMode>
  BLOOMERY_INLINE static std::uint64_t mask_in(std::uint32_t sector, std::uint32_t used,
                                               std::uint64_t bits, std::uint32_t seed) {
    const std::uint64_t bit = block::bit_of(bits, sector, kMode == Mode::kSeeded ? seed : 0);
    return kMode == Mode::kAllSectors ? bit : bit & (std::uint64_t{0} - (used >> sector & 1));
  }
  template <Mode kMode, Act kAct>
  BLOOMERY_INLINE static bool in_block(const BlockTarget& target, std::uint64_t offset,
                                       Hash128 hash) {
    const std::uint32_t used =
        kMode == Mode::kAllSectors ? 0xff : block::sectors_of(hash.low, target.probes);
    const std::uint32_t seed =
        kMode == Mode::kSeeded ? target.window_set(offset / block::kBlockBytes) : 0;
    std::byte* sectors = target.blocks + offset;
    std::uint64_t missing = 0;
    for (std::uint32_t i = 0; i < block::kSectors; ++i, sectors += sizeof(std::uint64_t)) {
      const auto held = load_le<std::uint64_t>(sectors);
      const std::uint64_t mask = mask_in<kMode>(i, used, hash.high, seed);
      missing |= mask & ~held;
      if constexpr (kAct != Act::kLookup) store_le(sectors, held | mask);
    }
    return kAct == Act::kLookup ? missing == 0 : missing != 0;
  }

  static std::uint8_t best_windows(const Hash128* keys, std::size_t count, std::uint32_t probes,
                                   std::uint32_t sets, block::BlockMask& best) noexcept {
    std::uint64_t smallest = ~std::uint64_t{0};
    std::uint8_t best_seed = 0;
    for (std::uint32_t seed = 0; seed < sets; ++seed) {
      block::BlockMask sectors{};
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t used = block::sectors_of(keys[i].low, probes);
        for (std::uint32_t j = 0; j < block::kSectors; ++j)
          sectors[j] |= mask_in<Mode::kSeeded>(j, used, keys[i].high, seed);
      }
      std::uint64_t product = 1;
      for (const std::uint64_t sector : sectors)
        product *= static_cast<std::uint64_t>(std::popcount(sector));
      if (product >= smallest) continue;
      smallest = product;
      best_seed = static_cast<std::uint8_t>(seed);
      best = sectors;
    }
    return best_seed;
  }
};

}  // namespace

constinit const BlockKernels kBlockBaseline = kernels_of<Baseline>("baseline");

}  // namespace bloomery::simd
