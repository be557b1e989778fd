#include "bloomery/simd/step_kernels.h"

#include <algorithm>
#include <array>
#include <bit>

#include "bloomery/hash/murmur1.h"
#include "bloomery/simd/block_kernels.h"
#include "bloomery/simd/cpu_choice.h"

namespace bloomery::simd {
namespace {

__extension__ using Wide = unsigned __int128;

// A single division, made while the key is still being hashed, and two products for each probe
// (Lemire, Kaser and Kurz 2019). A divisor of 1 gives 0, for its magic wraps to 0.
class ByteOf {
 public:
  explicit ByteOf(std::uint32_t bytes) : bytes_{bytes}, magic_{UINT64_MAX / bytes + 1} {}
  std::size_t operator()(std::uint32_t hash) const {
    return static_cast<std::size_t>((Wide{magic_ * (hash / 8)} * bytes_) >> 64);
  }

 private:
  std::uint64_t bytes_;
  std::uint64_t magic_;
};

// Three probes at a time: one in ten absent keys passes the first three, so that the branch after
// them is mostly predicted, and the memory of the others is left alone. A branch after each probe
// would be mispredicted half the time.
bool may_contain(const std::byte* bits, StepShape shape, std::uint32_t hash) noexcept {
  constexpr std::uint32_t kTogether = 3;
  const ByteOf byte_of{shape.bytes};
  const std::uint32_t step = std::rotr(hash, 17);
  for (std::uint32_t done = 0; done < shape.probes; done += kTogether) {
    unsigned all = 1;
    for (std::uint32_t i = done; i < std::min(done + kTogether, shape.probes); ++i, hash += step)
      all &= static_cast<unsigned>(bits[byte_of(hash)]) >> (hash % 8);
    if ((all & 1) == 0) return false;
  }
  return true;
}

bool may_contain_key(const std::byte* bits, StepShape shape, ByteView key,
                     std::uint32_t seed) noexcept {
  return may_contain(bits, shape, internal::murmur1_inlined(key, seed));
}

void insert_one_by_one(std::byte* bits, StepShape shape, std::span<const std::uint32_t> hashes) {
  const ByteOf byte_of{shape.bytes};
  for (std::uint32_t hash : hashes) {
    const std::uint32_t step = std::rotr(hash, 17);
    for (std::uint32_t i = 0; i < shape.probes; ++i, hash += step)
      bits[byte_of(hash)] |= std::byte{1} << (hash % 8);
  }
}

// The memory of a group of keys is fetched before any of it is written.
void insert_batch(std::byte* bits, StepShape shape, const std::uint32_t* hashes,
                  std::size_t count) noexcept {
  if (shape.bytes < kFetchAheadFromBytes) return insert_one_by_one(bits, shape, {hashes, count});
  constexpr std::size_t kGroup = 128;  // probes, not keys
  struct Probe {
    std::size_t byte;
    std::byte mask;
  };
  std::array<Probe, kGroup> group;
  std::size_t waiting = 0;
  const ByteOf byte_of{shape.bytes};
  for (std::size_t at = 0; at < count; ++at) {
    std::uint32_t hash = hashes[at];
    const std::uint32_t step = std::rotr(hash, 17);
    for (std::uint32_t i = 0; i < shape.probes; ++i, hash += step) {
      group[waiting] = {byte_of(hash), std::byte{1} << (hash % 8)};
      __builtin_prefetch(bits + group[waiting].byte, 1);
      if (++waiting < kGroup) continue;
      for (const Probe& probe : group) bits[probe.byte] |= probe.mask;
      waiting = 0;
    }
  }
  for (const Probe& probe : std::span{group}.first(waiting)) bits[probe.byte] |= probe.mask;
}

auto runnable_step_kernels() {
  RunnableRows<StepKernels, 2> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0)
    kernels.add(kStepAvx2);
#endif
  kernels.add({"baseline", may_contain, may_contain_key, insert_batch});
  return kernels;
}

}  // namespace

std::span<const StepKernels> step_kernels() {
  static const auto kAll = runnable_step_kernels();
  return kAll.all();
}

const StepKernels& active_step_kernels() {
  static const StepKernels& active =
      active_block_kernels().name == "baseline" ? step_kernels().back() : step_kernels().front();
  return active;
}

}  // namespace bloomery::simd
