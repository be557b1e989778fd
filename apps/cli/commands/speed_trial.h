// The measurements of `bloomery bench`: speed and false-positive rate of our filters.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/layout/shape.h"

namespace bloomery::cli {

struct SpeedRow {
  std::string name;
  std::string layout;
  std::uint64_t keys = 0;
  double bits_per_key = 0;
  double rate = 0;       // measured with absent keys, on the filter that was timed
  double insert_ns = 0;  // medians over the rounds
  double hit_ns = 0;
  double miss_ns = 0;
  bool batch = false;
  double spread =
      0;  // of its lookups between rounds: the range that holds half of them, over the median
};

struct SpeedPlan {
  Goal goal;
  double seconds;  // that all rounds together may take
};

// Every filter takes its turn in every round, so that a disturbance hits all alike. `tick` is
// called between turns; false stops the trial with what is known.
Result<std::vector<SpeedRow>> run_speed_trial(const SpeedPlan& plan,
                                              const std::function<void()>& tick);

// The row with the fastest lookups, or null where the rounds differ so much (by more than 5 %) that
// the next may be as fast.
const SpeedRow* winner(const std::vector<SpeedRow>& rows);

}  // namespace bloomery::cli
