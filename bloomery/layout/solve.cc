// solve() of sizing.h: which of the five numbers are known, and the rest from them.
#include <algorithm>
#include <cmath>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/layout/first_from.h"
#include "bloomery/layout/request_check.h"
#include "bloomery/layout/sizing.h"

namespace bloomery {
namespace {

Status check_classic_request(const SizingRequest& request) {
  if (request.blocks)
    return invalid_argument(
        "a number of blocks says nothing about a classic filter: give bits instead");
  if (auto valid = internal::check_keys_and_rate(request); !valid) return valid;
  if (auto valid = internal::check_bits(request); !valid) return valid;
  if (request.probes && (*request.probes == 0 || *request.probes > kMaxProbes))
    return invalid_argument(message("a filter has 1 to ", kMaxProbes, " probes, and ",
                                    *request.probes, " were asked for"));
  return internal::check_bits_per_key(request);
}

// Bits per key, with either of the two it relates, gives the other; with both it must agree.
Result<SizingRequest> without_bits_per_key(SizingRequest request) {
  if (!request.bits_per_key) return request;
  const double per_key = *request.bits_per_key;
  if (request.keys) {
    const double bits = std::ceil(static_cast<double>(*request.keys) * per_key);
    if (request.bits && std::abs(bits - static_cast<double>(*request.bits)) > 0.01 * bits + 1)
      return invalid_argument(message(*request.keys, " keys at ", per_key, " bits each are ", bits,
                                      " bits, which contradicts the ", *request.bits,
                                      " asked for"));
    if (bits > static_cast<double>(kMaxBits))
      return invalid_argument(message(*request.keys, " keys at ", per_key,
                                      " bits each need more than the 2^48 bits a filter can have"));
    if (!request.bits) request.bits = static_cast<std::uint64_t>(bits);
  } else if (request.bits) {
    const double keys = std::floor(static_cast<double>(*request.bits) / per_key);
    if (!(keys >= 1 && keys < 9e18))
      return invalid_argument(message("at ", per_key, " bits per key, ", *request.bits,
                                      " bits are for ", keys, " keys"));
    request.keys = static_cast<std::uint64_t>(keys);
  }
  return request;
}

Sizing sized(std::uint64_t keys, Shape shape) {
  return {keys, expected_rate(shape, static_cast<double>(keys)), shape.bits, shape.probes,
          static_cast<double>(shape.bits) / static_cast<double>(keys)};
}

Result<Sizing> from_keys_and_bits(const SizingRequest& request) {
  const Shape shape{*request.bits,
                    request.probes.value_or(best_probes(*request.bits, *request.keys))};
  const Sizing sizing = sized(*request.keys, shape);
  // Written the way a person rounds: what prints as the same rate is the same rate.
  if (request.rate && sizing.rate > *request.rate * 1.005)
    return invalid_argument(message(*request.keys, " keys in ", shape.bits, " bits with ",
                                    shape.probes, " probes have a false-positive rate of ",
                                    sizing.rate, ", which contradicts the ", *request.rate,
                                    " asked for"));
  return sizing;
}

Result<Sizing> from_keys_and_rate(const SizingRequest& request) {
  const Goal goal{*request.keys, *request.rate};
  const std::uint32_t probes = request.probes.value_or(probes_for(goal.false_positive_rate));
  auto shape = checked_shape(std::max(1.0, std::ceil(bits_for(goal, probes))), probes);
  if (!shape) return shape.error();
  // The real number was rounded; one more bit or two settle it. Near a rate of 1 it takes billions.
  shape->bits = internal::first_from(shape->bits, kMaxBits, [&](std::uint64_t bits) {
    return expected_rate(Shape{bits, probes}, static_cast<double>(goal.keys)) <=
           goal.false_positive_rate;
  });
  return sized(goal.keys, *shape);
}

Result<Sizing> from_bits_and_rate(const SizingRequest& request) {
  const Shape shape{*request.bits, request.probes.value_or(probes_for(*request.rate))};
  const std::uint64_t keys = max_keys(shape, *request.rate);
  if (keys == 0)
    return invalid_argument(message(shape.bits, " bits with ", shape.probes,
                                    " probes cannot hold even 1 key at a rate of ", *request.rate));
  return sized(keys, shape);
}

}  // namespace

Result<Sizing> solve(const SizingRequest& request) {
  if (auto valid = check_classic_request(request); !valid) return valid.error();
  const auto known = without_bits_per_key(request);
  if (!known) return known.error();
  if (known->keys && known->bits) return from_keys_and_bits(*known);
  if (known->keys && known->rate) return from_keys_and_rate(*known);
  if (known->bits && known->rate) return from_bits_and_rate(*known);
  return internal::too_few_numbers(*known);
}

}  // namespace bloomery
