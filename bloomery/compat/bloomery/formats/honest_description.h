// Moved to bloomery/formats/measured_description.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/measured_description.h"  // IWYU pragma: export

namespace bloomery {

using HonestDescription [[deprecated("use MeasuredDescription")]] = MeasuredDescription;
[[deprecated("use describe_measured")]] inline MeasuredDescription describe_honestly(
    const AnyFilter& filter, MeasureBudget budget = {}) {
  return describe_measured(filter, budget);
}

}  // namespace bloomery
