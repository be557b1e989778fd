#include "bloomery/formats/layered/plan.h"

#include <cmath>

#include "bloomery/base/message.h"
#include "bloomery/formats/native/native.h"
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

Status check_part(const LayeredPlan& plan) {
  const LayeredPart& part = *plan.part;
  if (plan.layout != LayerKind::kBlock || plan.expansion != 0 || plan.window || plan.secret)
    return Error{ErrorCode::kInvalidArgument,
                 "a part is a block filter that does not grow, without window and secret"};
  if (part.profile == Profile::kSiphash || part.profile == Profile::kMix ||
      profile_name(part.profile).empty())
    return Error{ErrorCode::kInvalidArgument, "the hash of a part takes bytes and has no secret"};
  if (part.shape.seeded)
    return Error{ErrorCode::kUnsupported, "a part that takes keys is not seeded"};
  if (auto shape = checked_one_line(part.shape); !shape) return shape.error();
  if (auto found = checked(part.part, part.shape.blocks); !found) return found.error();
  return ok();
}

}  // namespace

Result<LayeredPart> LayeredPart::of_goal(Goal goal, Part part) {
  const auto shape = block_shape_for(goal);
  if (!shape) return shape.error();
  const CreateOptions file{.sizing = {.keys = goal.keys, .rate = goal.false_positive_rate}};
  const auto hash = key_hash_for(file);
  if (!hash) return hash.error();
  const auto found = checked(part, shape->blocks);
  if (!found) return found.error();
  return LayeredPart{*shape, part, hash->hasher.profile()};
}

// Of a binomial distribution: six standard deviations above the mean, and some for tiny parts.
std::uint64_t LayeredPart::most_keys(std::uint64_t keys_of_whole) const {
  const double share =
      static_cast<double>(blocks_of(part, shape.blocks).size()) / static_cast<double>(shape.blocks);
  const double mean = share * static_cast<double>(keys_of_whole);
  return static_cast<std::uint64_t>(std::ceil(mean + 6 * std::sqrt(mean))) + 8;
}

Status LayeredPlan::check() const {
  if (auto valid = checked(goal); !valid) return valid.error();
  if (expansion > RedisBloomFilter::kMaxExpansion)
    return Error{ErrorCode::kInvalidArgument, message("no filter grows by ", expansion)};
  if (layout < LayerKind::kClassic || layout > LayerKind::kCounting)
    return Error{ErrorCode::kInvalidArgument,
                 message("the layouts are 1 to 3, and this is ", static_cast<int>(layout))};
  if (part) return check_part(*this);
  if (!window) return ok();
  if (layout == LayerKind::kCounting)
    return Error{ErrorCode::kInvalidArgument, "a counting filter has no window"};
  return check_window(*window);
}

KeyHash LayeredPlan::hash() const {
  if (part) return {Hasher{part->profile, part->seed}, false};
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
