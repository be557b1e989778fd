// How far ahead of its use a block is fetched, by the size of the filter. Measured on Zen 4; one
// table for all kernels.
#pragma once
#include <cstdint>
#include <limits>
#include <span>

namespace bloomery::simd {

// In groups of eight keys. A filter that sits in the second-level cache needs no fetching. Beyond
// the third level a single fetch into the first is capped by that cache's miss buffers, so there it
// is fetched in two steps: far ahead into the second level, then into the first. That is within a
// tenth of a loop that only reads such lines.
struct PrefetchPlan {
  std::uint64_t up_to_bytes;
  std::uint32_t far;   // 0: none
  std::uint32_t near;  // 0: `far` already fetches into the first level
};

inline constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();
inline constexpr PrefetchPlan kLookupPlans[] = {
    {768 << 10, 0, 0}, {4 << 20, 4, 0}, {12 << 20, 8, 0}, {kAnySize, 12, 1}};
inline constexpr PrefetchPlan kInsertPlans[] = {
    {768 << 10, 0, 0}, {2 << 20, 4, 0}, {kAnySize, 12, 1}};
inline constexpr std::uint32_t kFarthest = 12;
// Key bytes are touched before blocks are known: fetched this much earlier still.
inline constexpr std::uint32_t kKeyBytesAhead = 16;

constexpr PrefetchPlan plan_in(std::span<const PrefetchPlan> plans, std::uint64_t bytes) {
  for (const PrefetchPlan& plan : plans)
    if (bytes <= plan.up_to_bytes) return plan;
  return plans.back();
}

}  // namespace bloomery::simd
