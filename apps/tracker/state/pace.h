// A rate limit for scans: so many folders in a second, and no catching up after a pause.
#pragma once
#include <algorithm>
#include <chrono>

namespace bloomery::tracker {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Pace(double per_second)  // 0: no limit
      : between_{per_second > 0
                     ? std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(std::min(1 / per_second, kLongest)))
                     : Clock::duration::zero()} {}

  // When the next one may begin. Precondition: `now` never goes back.
  Clock::time_point next(Clock::time_point now) {
    const auto turn = std::max(now, next_);
    next_ = turn + between_;
    return turn;
  }

 private:
  static constexpr double kLongest = 86400;  // seconds
  Clock::duration between_;
  Clock::time_point next_ = Clock::time_point::min();
};

}  // namespace bloomery::tracker
