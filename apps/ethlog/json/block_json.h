// Headers, blocks and receipts as go-ethereum writes them in JSON-RPC: what follows from the stored
// parts, what the import was given besides, and nothing else. A member that is not known is left
// out.
#pragma once
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// As a subscription to new heads tells it: in the order of the RLP, with null for members of forks
// that the block does not have.
void append_header_json(std::string& out, const Header& header);

// What the list of a block's transactions holds.
enum class TransactionList : std::uint8_t { kHashes, kWhole };

// As eth_getBlockByNumber: members by name.
void append_block_json(std::string& out, const ImportedBlock& block,
                       TransactionList list = TransactionList::kHashes);
// The same without what is in the body.
void append_block_header_json(std::string& out, const Header& header);

// As eth_getBlockReceipts. Precondition: the block has receipts.
void append_receipts_json(std::string& out, const ImportedBlock& block);
// As eth_getTransactionReceipt. Precondition: the block has that receipt.
void append_receipt_json(std::string& out, const ImportedBlock& block, std::size_t index);

}  // namespace bloomery::ethlog
