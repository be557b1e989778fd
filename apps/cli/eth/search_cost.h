// What `eth status` says of the cost of a search, and of how to lower it.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/filters/report.h"
#include "apps/cli/shell/json.h"
#include "apps/ethlog/check/search_cost.h"

namespace bloomery::cli {

void add_search_cost(const ethlog::SearchEstimate& cost, Report& report);
Json search_cost_json(const ethlog::SearchEstimate& cost);

// What makes searches cheaper, the most useful first; none: nothing does.
std::vector<std::string> cheaper_searches(const std::string& folder,
                                          const ethlog::ChainStatus& status);

}  // namespace bloomery::cli
