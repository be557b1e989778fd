#include "bloomery/layout/shape.h"

#include <cmath>
#include <string>

#include "bloomery/base/message.h"

namespace bloomery {
namespace {

// A count as a whole number, with all its digits, where it is one.
std::string count_text(double count) {
  const bool is_whole = count >= 0 && count < 0x1p64 && count == std::floor(count);
  return is_whole ? std::to_string(static_cast<std::uint64_t>(count)) : message(count);
}

}  // namespace

Result<Goal> checked(Goal goal) {
  if (goal.keys == 0)
    return Error{ErrorCode::kInvalidArgument,
                 "a filter needs at least 1 key, and 0 were asked for"};
  if (!(goal.false_positive_rate > 0 && goal.false_positive_rate < 1))
    return Error{ErrorCode::kInvalidArgument,
                 message("the false-positive rate must lie between 0 and 1, both excluded, and is ",
                         goal.false_positive_rate)};
  return goal;
}

Goal clamped(Goal goal) {
  constexpr double kSmallest = 1e-290;  // rarer errors would take more than kMaxProbes probes
  const double rate = goal.false_positive_rate;
  if (goal.keys == 0) goal.keys = 1;
  if (!(rate > 0))
    goal.false_positive_rate = kStrictestRate;
  else if (rate >= 1)
    goal.false_positive_rate = kLoosestRate;
  else if (rate < kSmallest)
    goal.false_positive_rate = kSmallest;
  return goal;
}

Result<Shape> checked(Shape shape) {
  return checked_shape(static_cast<double>(shape.bits), shape.probes);
}

Result<Shape> checked_shape(double bits, double probes) {
  if (!(bits >= 1))
    return Error{ErrorCode::kInvalidArgument,
                 message("a filter needs at least 1 bit, and has ", bits)};
  if (!(bits <= static_cast<double>(kMaxBits)))
    return Error{ErrorCode::kInvalidArgument, message("a filter has at most 2^48 bits, and ",
                                                      count_text(bits), " would be needed")};
  if (!(probes >= 1 && probes <= kMaxProbes))
    return Error{ErrorCode::kInvalidArgument,
                 message("a filter has 1 to ", kMaxProbes, " probes, and ", count_text(probes),
                         " were asked for")};
  return Shape{static_cast<std::uint64_t>(bits), static_cast<std::uint32_t>(probes)};
}

}  // namespace bloomery
