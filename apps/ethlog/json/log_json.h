// A found log as eth_getLogs writes it, member by member in go-ethereum's order (v1.17.5).
#pragma once
#include "apps/ethlog/model/found_log.h"

namespace bloomery::ethlog {

// Removed: a reorganisation took the log back; subscriptions report it.
enum class LogFate : std::uint8_t { kMined, kRemoved };

// Compact, without a line end. An unknown transaction hash is written as null.
void append_log_json(std::string& out, const FoundLog& found, LogFate fate = LogFate::kMined);

}  // namespace bloomery::ethlog
