// A batch of keys on its way to a filter on a device: its plan, and its parts one after the other.
// Not for users.
#pragma once
#include "bloomery/gpu/block.h"
#include "bloomery/gpu/runtime.h"

namespace bloomery::gpu::internal {

// A filter as batches see it.
struct Batched {
  const Device& device;
  FilterMemory memory;
  std::uint32_t block_bytes;
};

// Checks the addresses, plans and launches all parts. `empty` is that of the filter before.
Status insert_batch(const Batched& filter, const KeySource& keys, bool empty, const Call& call);
Status look_up_batch(const Batched& filter, const KeySource& keys, const DeviceAnswers& answers,
                     const Call& call);

// The source of strings of `data_bytes` from `data` on. kInvalidArgument for other offsets than 32
// or 64 bits.
Result<KeySource> string_source(const DeviceStrings& keys, std::uint64_t seed);

}  // namespace bloomery::gpu::internal
