// How a batch of keys goes to a filter on a device: directly, one random access for each key, or
// partitioned, in passes over the keys that need a workspace. Plain arithmetic, without a device.
#pragma once
#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery::gpu {

enum class Method : std::uint8_t { kAuto, kDirect, kPartitioned };
enum class Operation : std::uint8_t { kInsert, kLookup };

// When partitioning pays, and how it cuts a filter. The defaults were measured on one H200; others
// are for other devices, tests and benchmarks. No value changes a bit.
struct Tuning {
  std::uint64_t insert_keys = std::uint64_t{1} << 21;  // fewer keys go directly
  std::uint64_t lookup_keys = std::uint64_t{1} << 23;
  std::uint64_t lookup_filter_bytes = std::uint64_t{128} << 20;  // smaller filters lie in the cache
  std::uint64_t filter_bytes_per_key = 80;                       // fewer keys than this go directly
  std::uint64_t most_keys = std::uint64_t{7} << 28;              // of one batch; larger are split
  // Cuts of a filter, as powers of two; empty: by the filter's size.
  std::uint32_t chunk_kib = 0;        // of one CTA's shared memory: 4 to 128
  std::uint32_t chunks_of_group = 0;  // of a coarse bucket, in two levels; 1: one level
  std::uint32_t lookup_chunk_kib = 0;
  std::uint32_t room_percent = 100;  // of the room that buckets get; less makes them overflow
};

// What of a filter and its keys decides.
struct Work {
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 64;
  std::uint64_t keys = 0;
  std::uint32_t carried_bytes = 8;  // of a key between passes: 8 for numbers, 16 for strings

  std::uint64_t filter_bytes() const { return blocks * block_bytes; }
};

struct Plan {
  bool partitioned = false;
  std::uint64_t parts = 0;      // one after the other; 0 for no keys
  std::uint64_t part_keys = 0;  // of each but the last, a multiple of kPartMultiple where several
  std::uint64_t workspace_bytes = 0;
};
inline constexpr std::uint64_t kPartMultiple = 1024;

// How many bytes of workspace the fast way takes; 0 where that is the direct one.
std::uint64_t workspace_bytes(Operation operation, const Work& work, const Tuning& tuning = {});

// What to do with this much workspace. Where the fast way wants more, the keys are split into equal
// parts that fit, while each is worth partitioning; else they go directly. kInvalidArgument where
// kPartitioned is asked for and the workspace holds no part.
Result<Plan> plan(Operation operation, const Work& work, std::uint64_t workspace, Method method,
                  const Tuning& tuning = {});

}  // namespace bloomery::gpu
