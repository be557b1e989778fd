// eth logs: one search of a folder, or one that goes on with the chain.
#pragma once
#include "apps/cli/eth/logs_options.h"
#include "apps/cli/eth/logs_output.h"
#include "apps/ethlog/output/log_feed.h"

namespace bloomery::cli {

// Searches step by step until the end of the chain, or until a signal. Returns the exit code.
int follow_logs(const LogsOptions& options, LogsRequest request, ethlog::LogFeed& feed);

}  // namespace bloomery::cli
