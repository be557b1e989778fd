// What a filter says of itself, checked: bits tell the error rate only where the probes of a key
// are independent, and in some foreign systems they are not. So the filter is also asked for keys
// that nobody inserted, and where the answers contradict the bits, the answers count.
#pragma once
#include <chrono>

#include "bloomery/formats/any_filter.h"

namespace bloomery {

struct MeasureBudget {
  std::uint64_t samples = 1'000'000;
  std::chrono::milliseconds time{1000};  // for all of them; fewer are asked of a slow filter
};

struct HonestDescription {
  Description description;    // health judged anew, and `sampled`, where the bits were wrong
  std::uint64_t samples = 0;  // absent keys asked; 0 where a filter cannot be asked
  std::optional<double> rate_of_bits;  // what the bits claimed, where the answers contradict them
};

HonestDescription describe_honestly(const AnyFilter& filter, MeasureBudget budget = {});

}  // namespace bloomery
