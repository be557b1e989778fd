// Keccak-256 of many keys at once: what hash/keccak.h computes one at a time, in as many lanes as
// the CPU has. One table, one row per instruction set; tests hold every row to the definition.
#pragma once
#include <array>
#include <span>
#include <string_view>

#include "bloomery/base/bytes.h"

namespace bloomery::simd {

using Keccak256Digest = std::array<std::byte, 32>;

struct KeccakKernels {
  std::string_view name;  // "baseline", "avx2", "avx512", "neon"
  // Keys of any length; those under 136 bytes, which fill one block of the sponge, share lanes.
  void (*hash)(const ByteView* keys, std::size_t count, Keccak256Digest* digests) noexcept;
};

// All that this CPU can run, best first, "baseline" last.
std::span<const KeccakKernels> keccak_kernels();
// The one in use, chosen as active_block_kernels() is.
const KeccakKernels& active_keccak_kernels();

}  // namespace bloomery::simd
