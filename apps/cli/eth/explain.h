// The text of `eth logs --explain`: what a search did, and what it cost.
#pragma once
#include <iosfwd>

#include "apps/ethlog/search/log_search.h"

namespace bloomery::cli {

void explain_search(const ethlog::QueryReport& report, std::ostream& out);

}  // namespace bloomery::cli
