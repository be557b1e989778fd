// A log as eth_getLogs writes it, member by member in go-ethereum's order (v1.17.5), and read
// again.
#pragma once
#include "apps/ethlog/model/log_record.h"

namespace bloomery::ethlog {

// Removed: a reorganisation took the log back; subscriptions report it.
enum class LogFate : std::uint8_t { kMined, kRemoved };

// Compact, without a line end. An unknown transaction hash is written as null.
void append_log_json(std::string& out, const FoundLog& found, LogFate fate = LogFate::kMined);
// The same; an unknown timestamp is left out, as by servers that do not give it.
void append_log_json(std::string& out, const LogRecord& record);

// Of an answer of any server; what it leaves out of a log that is to be known is an error.
// Precondition: is_json(json), or a piece of such text.
Result<LogRecord> log_record_from(std::string_view json);

}  // namespace bloomery::ethlog
