// What a search did, for eth logs --explain.
#pragma once
#include "apps/ethlog/search/log_search.h"

namespace bloomery::cli {

// On stderr.
void explain_search(const ethlog::QueryReport& report);

}  // namespace bloomery::cli
