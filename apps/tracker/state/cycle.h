// A cycle: the time from the start of one scan to the start of the next. The user gives its number;
// its token tells it from another cycle of the same number, which a tracker that lost its files
// would begin.
#pragma once
#include <compare>
#include <memory>

#include "apps/tracker/state/cycle_filter.h"
#include "bloomery/base/limits.h"

namespace bloomery::tracker {

struct CycleId {
  std::uint64_t index = 0;  // 0: never
  std::uint64_t token = 0;  // 0: not known, and the index decides
  friend bool operator==(const CycleId&, const CycleId&) = default;
};

struct Cycle {
  CycleId id;
  std::int64_t started_unix = 0;  // seconds
  CycleFilter filter{};

  Cycle clone() const { return {id, started_unix, filter.clone()}; }
};

// Versioned bytes with checksums, complete in themselves: for the state file, and to hand to
// others. The layers are native filters (docs/formats/bloomery.md).
std::vector<std::byte> encode_cycle(const Cycle& cycle);
// Takes all the bytes. Checks every length against them before it allocates.
Result<Cycle> decode_cycle(ByteView bytes, DecodeLimits limits);

}  // namespace bloomery::tracker
