// Batch kernels of the block layout: the bits that layout/block.h defines, computed faster. One
// table, one row per instruction set; tests hold every row to the definition.
#pragma once
#include <span>
#include <string_view>

#include "bloomery/hash/profile.h"
#include "bloomery/layout/block.h"

#define BLOOMERY_INLINE [[gnu::always_inline]] inline

namespace bloomery::simd {

// The memory of a block filter, and how its keys are hashed. Any alignment; a cache line's is fast.
struct BlockTarget {
  std::byte* blocks = nullptr;
  std::uint64_t count = 0;              // of blocks
  const std::uint8_t* seeds = nullptr;  // one per block, each below kWindowSets; null: plain
  std::uint32_t probes = 0;
  Hasher hasher = {};

  // The window set of a block. Bounded at every use: the seeds may lie in a mapped file, which
  // another process can change after they were checked. Precondition: seeds.
  BLOOMERY_INLINE std::uint32_t window_set(std::uint64_t block) const {
    return seeds[block] % block::kWindowSets;
  }
};

// What becomes of each key of a batch; a null pointer is not filled.
struct Answers {
  std::uint8_t* bytes = nullptr;  // 1 or 0 for each key
  std::uint8_t* bits = nullptr;   // bit i % 8 of byte i / 8, the rest of the last byte zero

  // Those of the keys from this one on. Precondition: a multiple of eight.
  Answers from(std::size_t key) const {
    return {bytes == nullptr ? nullptr : bytes + key, bits == nullptr ? nullptr : bits + key / 8};
  }
};

// For one kind of key. An insert answers whether the key was certainly new, a lookup whether it may
// be there; a batch returns how many were. Keys of a batch act in order.
template <class Key>
struct OneKey {
  bool (*insert)(const BlockTarget& target, Key key) noexcept;
  bool (*may_contain)(const BlockTarget& target, Key key) noexcept;
};
template <class Key>
struct KeyKernels {
  // For targets with the same profile and probes, and seeds or none.
  OneKey<Key> (*one_key)(const BlockTarget& target) noexcept;
  std::size_t (*insert_batch)(const BlockTarget& target, const Key* keys, std::size_t count,
                              Answers is_new) noexcept;
  // An insert that answers nothing, and may not count either: no use of its result.
  std::size_t (*add_batch)(const BlockTarget& target, const Key* keys, std::size_t count,
                           Answers unused) noexcept;
  std::size_t (*may_contain_batch)(const BlockTarget& target, const Key* keys, std::size_t count,
                                   Answers answers) noexcept;
};

struct BlockKernels {
  std::string_view name;              // "baseline", "avx2", "avx512", "neon"
  KeyKernels<Hash128> hashes;         // of keys that the caller hashed
  KeyKernels<std::uint64_t> numbers;  // hashed directly, as the funnel u64 asks
  KeyKernels<ByteView> bytes;         // precondition: the hasher accepts bytes
  // The hashes of many keys, as the hasher computes them one by one. Precondition of the second: it
  // accepts bytes.
  void (*hash_numbers)(const Hasher& hasher, const std::uint64_t* keys, std::size_t count,
                       Hash128* hashes) noexcept;
  void (*hash_bytes)(const Hasher& hasher, const ByteView* keys, std::size_t count,
                     Hash128* hashes) noexcept;
  void (*block_numbers)(const std::uint64_t* places, std::size_t count, std::uint64_t blocks,
                        std::uint64_t* numbers) noexcept;
  // The window set, below `sets` (8, 16 or 32), that leaves a block of these keys emptiest: the
  // smallest product of its sectors' fills, ties to the lowest number. Fills `block` with it.
  std::uint8_t (*best_windows)(const Hash128* keys, std::size_t count, std::uint32_t probes,
                               std::uint32_t sets, block::BlockMask& block) noexcept;
};

// All that this CPU can run, best first, "baseline" last. Tests and benchmarks walk the whole
// table.
std::span<const BlockKernels> block_kernels();
// The one in use: the best, or the one that the environment variable BLOOMERY_CPU names. Fixed at
// the first call; a name that is no row, or one this CPU cannot run, falls back to the best.
const BlockKernels& active_block_kernels();

}  // namespace bloomery::simd
