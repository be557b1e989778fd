// Reads blocks from JSON, one value per line. The members of each line show its shape:
// - a block of an archive: {"number", "hash", "headerRlp"?, "logsBloom",
//   "receipts": [{"statusOrRoot", ...}]}
// - a stored block: {"headerRlp", "receiptsStorageRlp", "txHashes", ...}
// - what a node answers: the block of eth_getBlockByNumber with its receipts beside it (as a member
//   "receipts", or as {"block", "receipts"}), or on the next line the list of eth_getBlockReceipts.
//   Both may be inside their JSON-RPC response, and both of one batch in one line.
#pragma once
#include <deque>

#include "apps/ethlog/model/chain.h"
#include "apps/ethlog/model/lines.h"

namespace bloomery::ethlog {

class JsonlReader {
 public:
  explicit JsonlReader(LineSource lines) : lines_{std::move(lines)} {}

  // Nothing after the last block. Not yet checked: check_block does that. Errors name the line.
  Result<std::optional<ImportedBlock>> next();

 private:
  Status read_line(std::string_view line);
  void flush();

  LineSource lines_;
  std::uint64_t line_ = 0;
  std::optional<ImportedBlock> pending_;  // its receipts may be on the next line
  std::deque<ImportedBlock> ready_;
};

}  // namespace bloomery::ethlog
