// Search beside a guess that is usually right.
#pragma once
#include <algorithm>
#include <cstdint>

namespace bloomery::internal {

// The first number from `start` on that holds, or `last`. Precondition: start <= last; once a
// number holds, all above it do. Doubles its steps, so that a bad guess costs a few dozen calls.
template <class Holds>
std::uint64_t first_from(std::uint64_t start, std::uint64_t last, Holds holds) {
  std::uint64_t below = start;  // does not hold, unless it is `start` itself
  std::uint64_t found = start;
  for (std::uint64_t step = 1; found < last && !holds(found); step *= 2) {
    below = found;
    found = last - found > step ? found + step : last;
  }
  while (found - below > 1) {
    const std::uint64_t middle = below + (found - below) / 2;
    (holds(middle) ? found : below) = middle;
  }
  return found;
}

}  // namespace bloomery::internal
