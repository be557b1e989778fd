#include "bloomery/layout/request_check.h"

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/layout/shape.h"

namespace bloomery::internal {

Status check_keys_and_rate(const SizingRequest& request) {
  if (request.keys && *request.keys == 0)
    return invalid_argument("the number of keys must be at least 1, and is 0");
  if (request.rate && !(*request.rate > 0 && *request.rate < 1))
    return invalid_argument(message(
        "the false-positive rate must lie between 0 and 1, both excluded, and is ", *request.rate));
  return ok();
}

Status check_bits(const SizingRequest& request) {
  if (request.bits && (*request.bits == 0 || *request.bits > kMaxBits))
    return invalid_argument(
        message("a filter has 1 to 2^48 bits, and ", *request.bits, " were asked for"));
  return ok();
}

Status check_bits_per_key(const SizingRequest& request) {
  if (request.bits_per_key &&
      !(*request.bits_per_key > 0 && *request.bits_per_key <= static_cast<double>(kMaxBits)))
    return invalid_argument(
        message("the bits per key must be a positive number, and are ", *request.bits_per_key));
  return ok();
}

Error too_few_numbers(const SizingRequest& request) {
  if (request.keys)
    return invalid_argument("the keys alone do not size a filter: give the rate or the bits");
  if (request.bits || request.blocks)
    return invalid_argument("the bits alone do not size a filter: give the keys or the rate");
  if (request.bits_per_key)
    return invalid_argument(
        "the bits per key do not size a filter alone: give the keys or the bits");
  if (request.rate)
    return invalid_argument("the rate alone does not size a filter: give the keys or the bits");
  return invalid_argument("nothing sizes the filter: give two of keys, rate and bits");
}

}  // namespace bloomery::internal
