#include "bloomery/formats/format_sizes.h"

#include <algorithm>
#include <array>

namespace bloomery {
namespace {

constexpr unsigned kSizeGoal = kSizeKeys | kSizeRate;
constexpr unsigned kSizeShape = kSizeBits | kSizeProbes;

// What sizes a filter of a family: some of one of `ways`, or exactly `with_goal`, where keys and
// rate are what its health is judged by.
struct SizesRow {
  std::string_view family;
  std::array<unsigned, 3> ways;
  unsigned with_goal = 0;
};

constexpr SizesRow kSizesRows[] = {
    {"go-bloom", {kSizeGoal, kSizeShape, 0}},
    {"leveldb", {kSizeGoal, kSizeKeys | kSizeBitsPerKey, kSizeShape}},
    {"guava", {kSizeGoal, 0, 0}},
    {"dcso", {kSizeGoal, 0, 0}},
    {"redisbloom", {kSizeGoal, 0, 0}},
    {"rediscuckoo", {kSizeGoal, 0, 0}},
    {"bits-and-blooms", {kSizeGoal, kSizeShape, 0}},
    {"parquet", {kSizeGoal, kSizeBlocks, 0}, kSizeGoal | kSizeBlocks},
    {"eventhorizon", {kSizeShape, 0, 0}, kSizeGoal | kSizeShape},
    {"ethereum", {kSizeShape, 0, 0}, kSizeGoal},
};

}  // namespace

unsigned given_sizes(const SizingRequest& sizing) {
  return (sizing.keys ? kSizeKeys : 0U) | (sizing.rate ? kSizeRate : 0U) |
         (sizing.bits ? kSizeBits : 0U) | (sizing.probes ? kSizeProbes : 0U) |
         (sizing.bits_per_key ? kSizeBitsPerKey : 0U) | (sizing.blocks ? kSizeBlocks : 0U);
}

bool takes_sizes(std::string_view format, unsigned given) {
  const std::string_view family = format.substr(0, format.find(':'));
  const auto* row = std::ranges::find(kSizesRows, family, &SizesRow::family);
  if (row == std::end(kSizesRows) || given == row->with_goal) return true;
  return std::ranges::any_of(row->ways, [&](unsigned way) { return (given & ~way) == 0; });
}

}  // namespace bloomery
