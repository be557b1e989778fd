// The checks of a SizingRequest that solve() and solve_block() share. For sources of the library.
#pragma once
#include "bloomery/base/result.h"
#include "bloomery/layout/sizing_request.h"

namespace bloomery::internal {

// kInvalidArgument for a number that no filter has; a number that is not given is valid.
Status check_keys_and_rate(const SizingRequest& request);
Status check_bits(const SizingRequest& request);
Status check_bits_per_key(const SizingRequest& request);

// The error of a valid request that gives too few numbers: names the one there is.
Error too_few_numbers(const SizingRequest& request);

}  // namespace bloomery::internal
