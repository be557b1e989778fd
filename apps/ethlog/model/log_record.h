// A log with its place in the chain, by value: what outlives a search, or came from a server.
#pragma once
#include "apps/ethlog/model/found_log.h"

namespace bloomery::ethlog {

struct LogRecord {
  Log log;
  std::uint64_t block_number = 0;
  Hash block_hash = {};
  std::optional<std::uint64_t> timestamp = {};  // not every server gives it
  std::optional<Hash> transaction_hash = {};    // unknown: its block came without
  std::uint64_t transaction_index = 0;
  std::uint64_t log_index = 0;
  bool removed = false;  // a reorganisation took it back
  friend bool operator==(const LogRecord&, const LogRecord&) = default;
};

inline LogRecord record_of(const FoundLog& found) {
  const Header& header = found.block.header;
  return {found.log,
          header.number,
          header.hash,
          header.timestamp,
          found.block.receipts[found.transaction].transaction_hash,
          found.transaction,
          found.log_index,
          false};
}

}  // namespace bloomery::ethlog
