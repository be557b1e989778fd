#include "bloomery/filter/key_hash.h"

#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"

namespace bloomery {

Status KeyHash::check_goal(Goal goal) const {
  // Eight bytes are hashed one to one.
  if (hasher.profile() != Profile::kXxh3_64 || whole_numbers) return ok();
  constexpr double kMostOfTheRate = 0.01;
  const double shared = static_cast<double>(goal.keys) * 0x1p-64;
  if (shared <= kMostOfTheRate * goal.false_positive_rate) return ok();
  return Error{
      ErrorCode::kInvalidArgument,
      message("the hash xxh3-64 is too short for a rate of ", goal.false_positive_rate, " with ",
              goal.keys, " keys; use xxh3 (--profile xxh3), which has 128 bits")};
}

Hash128 KeyHash::digest_other_length(ByteView key) const noexcept {
  return hasher.accepts_bytes() ? hasher(key) : xxh3_128(key, hasher.seed());
}

}  // namespace bloomery
