// A transaction as go-ethereum writes it in JSON-RPC (v1.17.5), member by member in its order. The
// sender follows from the signature. A member that is not known is left out.
#pragma once
#include "apps/ethlog/model/block_body.h"
#include "apps/ethlog/model/transaction.h"

namespace bloomery::ethlog {

// What the transactions of a block are read with.
struct BlockTransactions {
  Body body;                     // views into the block
  bool fee_known = false;        // the header is there, so that the price that was paid is known
  std::optional<Hash> base_fee;  // nothing before London
};

// Nothing where the body is not stored. The block must outlive it.
Result<std::optional<BlockTransactions>> transactions_of(const ImportedBlock& block);

// From the signature, else as the import gave it.
std::optional<Address> sender_in(const ImportedBlock& block, std::size_t index,
                                 const TransactionFields& fields);

// Whether a block without a body has its transactions as the import gave them.
bool has_stored_transactions(const ImportedBlock& block);
// Precondition: it has, and there is such a transaction.
void append_stored_transaction_json(std::string& out, const ImportedBlock& block,
                                    std::size_t index);

// Precondition: there is such a transaction.
void append_transaction_json(std::string& out, const ImportedBlock& block,
                             const BlockTransactions& transactions, std::size_t index);

}  // namespace bloomery::ethlog
