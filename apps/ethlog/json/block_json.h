// Headers, blocks and receipts as go-ethereum writes them in JSON-RPC: what follows from the stored
// parts, what the import was given besides, and nothing else. A member that is not known is left
// out.
#pragma once
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// As a subscription to new heads tells it: in the order of the RLP, with null for members of forks
// that the block does not have.
void append_header_json(std::string& out, const Header& header);

// As eth_getBlockByNumber: members by name, transactions as hashes.
void append_block_json(std::string& out, const ImportedBlock& block);
// The same without what is in the body.
void append_block_header_json(std::string& out, const Header& header);

// As eth_getBlockReceipts. Precondition: the block has receipts.
void append_receipts_json(std::string& out, const ImportedBlock& block);

}  // namespace bloomery::ethlog
