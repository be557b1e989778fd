// Merges the answers of the nodes into the fleet's history. Pure: no Redis, no clock.
#pragma once
#include <functional>

#include "apps/tracker/fleet/fleet.h"

namespace bloomery::tracker {

// What changed in the cycle that ended, as all members say together.
struct GatheredCycle {
  CycleFilter filter{};
  std::vector<IncompleteShare> incomplete = {};
};

// The bytes that a member sent in answer to the current cycle; empty if it sent none.
using AnswerOf = std::function<Result<std::vector<std::byte>>(const Member& member)>;

// Precondition: view.current.index > 0. A member that did not answer makes its whole share
// changed, and nothing else. So does one whose answer is damaged, of another process, of another
// cycle, or reaches back to a cycle that is not in the chain.
GatheredCycle gather(const FleetView& view, const AnswerOf& answer_of, CycleGoal goal,
                     DecodeLimits limits);

// The bytes of the merged filter of a cycle, as Redis keeps them; none if it has none.
using MergedOf = std::function<Result<std::optional<std::vector<std::byte>>>(CycleId cycle)>;

// The cycles of the chain. One whose filter is missing, damaged, or of another cycle of that number
// is a cycle in which everything may have changed. Precondition: as above. The current cycle is
// empty: what happens in it, the nodes say when the next one begins.
Result<History> fleet_history(const FleetView& view, const MergedOf& merged_of, CycleGoal goal,
                              DecodeLimits limits);

}  // namespace bloomery::tracker
