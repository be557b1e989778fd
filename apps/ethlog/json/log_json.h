// A found log as eth_getLogs writes it, member by member in go-ethereum's order (v1.17.5).
#pragma once
#include "apps/ethlog/search/log_query.h"

namespace bloomery::ethlog {

// Removed: a reorganisation took the log back (subscriptions tell that).
enum class LogFate : std::uint8_t { kMined, kRemoved };

// Compact, without a line end. A transaction whose hash is not known has zeros for it.
void append_log_json(std::string& out, const FoundLog& found, LogFate fate = LogFate::kMined);

}  // namespace bloomery::ethlog
