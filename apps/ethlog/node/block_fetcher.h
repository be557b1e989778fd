// Blocks of a node with their receipts, by the best way that the node offers. Each block was
// checked by check_block, and each follows from the one before.
#pragma once
#include "apps/ethlog/node/node_blocks.h"
#include "apps/ethlog/node/node_client.h"

namespace bloomery::ethlog {

enum class ReceiptSource : std::uint8_t {
  kBlock,        // eth_getBlockReceipts
  kTransaction,  // eth_getTransactionReceipt, in batches
  kLogs,         // eth_getLogs: neither status nor gas, so no receipts root can be verified
};

struct NodeHead {
  NodeBlockId latest;
  std::optional<BlockId> safe;
  std::optional<BlockId> finalized;
};

// Any number of threads may fetch.
class BlockFetcher {
 public:
  // The client must outlive it.
  explicit BlockFetcher(NodeClient& client) : client_{client} {}

  NodeResult<std::uint64_t> chain_id(const std::stop_token& stop);
  NodeResult<NodeHead> head(const std::stop_token& stop);
  // Nothing where the node has no such block.
  NodeResult<std::optional<NodeBlockId>> block_id(std::uint64_t number,
                                                  const std::stop_token& stop);
  // Answers that contradict each other, as when a branch was displaced between two of them, are
  // fetched again, several times; then they are a failure of kWrong.
  NodeResult<std::vector<ImportedBlock>> fetch(BlockRange range, const std::stop_token& stop);

  // How many blocks to fetch at a time, by the size and time of the last ones.
  std::size_t blocks_at_a_time() const { return blocks_; }
  ReceiptSource receipts() const { return receipts_; }
  bool whole_transactions() const { return whole_; }
  NodeClient& client() const { return client_; }

 private:
  using Blocks = std::vector<ImportedBlock>;
  NodeResult<Blocks> fetch_once(BlockRange range, const std::stop_token& stop);
  NodeResult<std::vector<CallOutcome>> ask_for_blocks(BlockRange range, ReceiptSource receipts,
                                                      bool whole, const std::stop_token& stop);
  NodeStatus add_by_transaction(Blocks& blocks, const std::stop_token& stop);
  NodeStatus add_by_logs(Blocks& blocks, const std::stop_token& stop);
  NodeStatus logs_of(BlockRange range, std::vector<std::string>& lists,
                     const std::stop_token& stop);
  void adapt(std::size_t blocks, std::size_t bytes, std::chrono::milliseconds time);

  // Whether headers of this node give the hashes of their blocks. Those of some chains do not.
  enum class HeaderHashes : std::uint8_t { kUnknown, kProven, kOther };

  NodeClient& client_;
  std::atomic<HeaderHashes> hashes_ = HeaderHashes::kUnknown;
  std::atomic<ReceiptSource> receipts_ = ReceiptSource::kBlock;
  std::atomic<bool> whole_ = true;  // transactions as objects, not only their hashes
  std::atomic<std::size_t> blocks_ = 4;
  std::atomic<std::size_t> log_blocks_ = 256;  // of one eth_getLogs
  std::mutex large_;  // one long answer at a time becomes a tree: its memory is many times the text
};

}  // namespace bloomery::ethlog
