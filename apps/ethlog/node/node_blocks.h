// What a node answers about blocks, as values that were checked: JSON text in, blocks out.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "apps/ethlog/model/chain.h"
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

Result<std::uint64_t> quantity_in(std::string_view json);

// Number, hash and parent of a block. Nothing for null: the node has no such block.
struct NodeBlockId {
  BlockId id;
  Hash parent;
};
Result<std::optional<NodeBlockId>> block_id_in(std::string_view json);

// A block without receipts; nothing for null. kMalformed where it has another number, no hash or
// no parent.
Result<std::optional<ImportedBlock>> node_block_in(std::string_view json, std::uint64_t number);
// The list of eth_getBlockReceipts. kMalformed where it belongs to another block, or is not one for
// each transaction.
Status add_block_receipts(ImportedBlock& block, std::string_view json);
// Those of eth_getTransactionReceipt, one for each transaction hash of the block.
Status add_transaction_receipts(ImportedBlock& block, const std::vector<std::string>& jsons);

// eth_getLogs of a range of blocks: receipts that have their logs, but neither status nor gas.
// kMalformed where a log belongs to none of the blocks, or one before it is missing.
Status add_logs(std::vector<ImportedBlock>& blocks, const std::vector<std::string>& lists);

}  // namespace bloomery::ethlog
