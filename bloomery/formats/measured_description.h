// A description whose false-positive rate was measured: the bits give the rate only where the
// probes of a key are independent, and in some foreign systems they are not. So the filter is also
// queried for absent keys, and where the answers contradict the bits, the answers count.
#pragma once
#include <chrono>

#include "bloomery/formats/any_filter.h"

namespace bloomery {

struct MeasureBudget {
  std::uint64_t samples = 1'000'000;
  std::chrono::milliseconds time{1000};  // for all of them; a slow filter is queried for fewer
};

struct MeasuredDescription {
  Description description;    // health judged anew, and `sampled`, where the bits were wrong
  std::uint64_t samples = 0;  // absent keys queried; 0 where the filter has no lookup
  std::optional<double> rate_of_bits;  // what the bits claimed, where the answers contradict them
};

MeasuredDescription describe_measured(const AnyFilter& filter, MeasureBudget budget = {});

}  // namespace bloomery
