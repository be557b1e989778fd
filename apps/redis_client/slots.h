// Slots of a Redis Cluster, and names that spread evenly over them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::redis_client {

inline constexpr std::uint32_t kSlots = 16384;

// CRC-16 of the key, or of its hash tag: what stands between the first { and the next }, unless
// that is nothing.
std::uint16_t slot_of(std::string_view key);

// The slot in the middle of the range [i * 16384 / shards, (i + 1) * 16384 / shards).
// Precondition: shard < shards <= kSlots.
constexpr std::uint16_t middle_slot(std::uint32_t shard, std::uint32_t shards) {
  return static_cast<std::uint16_t>((2 * std::uint64_t{shard} + 1) * (kSlots / 2) / shards);
}

// The tag of each shard: the smallest decimal number whose slot is its middle_slot().
// Precondition: 1 <= shards <= kSlots.
std::vector<std::string> shard_tags(std::uint32_t shards);

}  // namespace bloomery::redis_client
