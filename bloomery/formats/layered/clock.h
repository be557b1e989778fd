// The time of a filter with a window. It runs with the machine's steady clock, so that a step of
// the wall clock ends no slice too soon. Starts of slices are wall times: a restart knows no other
// clock. Knows nothing of the server.
#pragma once
#include <algorithm>

#include "bloomery/formats/layered/filter.h"

namespace bloomery {

struct ClockReading {  // milliseconds, of one moment
  std::int64_t wall;   // since 1970
  std::int64_t steady;
  std::int64_t ahead() const { return wall - steady; }
};

// Differences below this are the two clocks being read one after the other.
inline constexpr std::int64_t kClockStep = 100;

// On a primary: what the wall clock has stepped by since the filter's slices were written.
inline std::int64_t clock_step(const LayeredFilter& filter, const ClockReading& clock) {
  const std::int64_t by = clock.ahead() - filter.clock_ahead();
  return by > -kClockStep && by < kClockStep ? 0 : by;
}

// The start of the newest slice in today's wall clock.
inline std::int64_t shifted_newest(const LayeredFilter& filter, std::int64_t step) {
  return std::clamp<std::int64_t>(filter.slices().back().start + step, 0, TimeWindow::kLatest);
}

// On a replica: its primary's time was at least that of the newest slice. From there on the steady
// clock counts, so that a replica with any wall clock forgets nothing before its primary would.
inline void follow_newest(LayeredFilter& filter, const ClockReading& clock) {
  filter.set_clock_ahead(filter.slices().back().start - clock.steady);
}

// On a replica, after its primary's clock began a slice at `time`: it was between then and a span
// later. Keeps clocks of different speed together.
inline void follow_rotation(LayeredFilter& filter, std::int64_t time, const ClockReading& clock) {
  const std::int64_t least = time - clock.steady;
  filter.set_clock_ahead(
      std::clamp(filter.clock_ahead(), least, least + filter.plan().window->span()));
}

}  // namespace bloomery
