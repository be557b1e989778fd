// The smallest fold of a filter that still keeps a rate.
#pragma once
#include "bloomery/formats/measured_description.h"

namespace bloomery::cli {

struct Folded {
  std::uint64_t factor;  // 1: the filter as it is
  AnyFilter filter;
  Description description;
};

// Tries the divisors of the filter's bits from the largest that could do, and judges each fold by
// its own bits and answers. kUnsupported where a kind cannot be folded; empty where not even the
// filter as it is keeps the rate.
Result<std::optional<Folded>> smallest_fold(const AnyFilter& filter, double rate);

// All divisors, the largest first. Precondition: number >= 1.
std::vector<std::uint64_t> divisors_downwards(std::uint64_t number);

}  // namespace bloomery::cli
