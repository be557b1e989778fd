// The whole filter that a part belongs to: every process must find the same one from its options.
#pragma once
#include "apps/cli/filters/create_options.h"
#include "bloomery/formats/native/native.h"

namespace bloomery::cli {

struct PartPlan {
  BlockPlan whole;
  KeyHash hash;
};

// `why` is the option that needs parts: "--part". Fails where the size does not follow from the
// options alone, or where the layout has no parts. Fills in the rate.
Result<PartPlan> plan_of_parts(NewFilterOptions& options, std::uint32_t parts, FunnelName funnel,
                               double default_rate, std::string_view why);

// Where the part takes more than --memory.
Status check_part_fits(const PartPlan& plan, bloomery::Part part, std::uint64_t memory);

}  // namespace bloomery::cli
