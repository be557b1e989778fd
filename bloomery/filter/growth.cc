#include "bloomery/filter/growth.h"

#include "bloomery/base/message.h"

namespace bloomery {

Result<Growth> checked(Growth growth) {
  constexpr std::uint32_t kMaxFactor = 32768;
  if (growth.factor == 0 || growth.factor > kMaxFactor)
    return Error{ErrorCode::kInvalidArgument, message("the growth factor must lie between 1 and ",
                                                      kMaxFactor, ", and is ", growth.factor)};
  if (!(growth.tightening > 0 && growth.tightening < 1))
    return Error{ErrorCode::kInvalidArgument,
                 message("the tightening must lie between 0 and 1, both excluded, and is ",
                         growth.tightening)};
  if (growth.max_layers == 0 || growth.max_layers > kMaxLayers)
    return Error{ErrorCode::kInvalidArgument,
                 message("a scalable filter has at most 1 to ", kMaxLayers, " layers, and ",
                         growth.max_layers, " were asked for")};
  return growth;
}

}  // namespace bloomery
