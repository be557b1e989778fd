#include "bloomery/formats/layered/plan.h"

#include "bloomery/base/message.h"
#include "bloomery/formats/redis/redisbloom.h"

namespace bloomery {
namespace {

Status check_window(const TimeWindow& window) {
  const bool right = window.milliseconds >= 1000 && window.milliseconds % 1000 == 0 &&
                     window.milliseconds / 1000 <= TimeWindow::kMostSeconds &&
                     window.slices >= TimeWindow::kFewestSlices &&
                     window.slices <= TimeWindow::kMostSlices;
  if (right) return ok();
  return Error{ErrorCode::kInvalidArgument, message("there is no window of ", window.milliseconds,
                                                    " ms in ", window.slices, " slices")};
}

}  // namespace

Status LayeredPlan::check() const {
  if (auto valid = checked(goal); !valid) return valid.error();
  if (expansion > RedisBloomFilter::kMaxExpansion)
    return Error{ErrorCode::kInvalidArgument, message("no filter grows by ", expansion)};
  if (layout < LayerKind::kClassic || layout > LayerKind::kCounting)
    return Error{ErrorCode::kInvalidArgument,
                 message("the layouts are 1 to 3, and this is ", static_cast<int>(layout))};
  if (!window) return ok();
  if (layout == LayerKind::kCounting)
    return Error{ErrorCode::kInvalidArgument, "a counting filter has no window"};
  return check_window(*window);
}

KeyHash LayeredPlan::hash() const {
  if (!secret) return {Hasher{Profile::kAes}, false};
  return {Hasher{Profile::kSiphash, 0, sip_key_from_secret(*secret)}, false};
}

Goal LayeredPlan::first_layer() const {
  Goal first = goal;
  if (window) {
    first.keys = (goal.keys + window->slices - 1) / window->slices;
    first.false_positive_rate /= window->slices + 1;
  }
  if (expansion != 0) first.false_positive_rate /= 2;
  return first;
}

}  // namespace bloomery
