// From the hash of a transaction to its block: in a store of ours a key for each transaction,
// written and taken back with the block; in a folder of geth, geth's own.
#pragma once
#include "apps/ethlog/store/chain_store.h"

namespace bloomery::ethlog {

struct TransactionPlace {
  ChainReader::Block block;  // canonical
  std::size_t index = 0;     // in it
};

// Nothing where no canonical block of the folder has it. An error where that cannot be said: blocks
// are not indexed yet, are lost, or came without the hashes of their transactions.
Result<std::optional<TransactionPlace>> find_transaction(const ChainReader& reader,
                                                         const Hash& hash);

// What a store's index says of itself, in each batch that changes it.
std::string encode_transaction_index(const TransactionIndex& index, const Hash& head,
                                     std::uint64_t blocks);
// All of the chain is unindexed where the record is missing, or its head or number of blocks is
// another: a version of bloomery without the index added blocks.
Result<TransactionIndex> load_transaction_index(const KeyValueStore& store,
                                                const std::optional<BlockId>& head,
                                                const std::optional<std::uint64_t>& lowest,
                                                std::uint64_t blocks);

// Adds the keys of blocks that become canonical and removes those of blocks that no longer are.
// `block` is the one that is added, or becomes more complete; `old` what was stored of it, or null.
Result<TransactionIndex> change_transaction_index(const ChainReader& reader,
                                                  const ImportedBlock& block,
                                                  const ChainReader::Block& old,
                                                  const ChainChange& change, WriteBatch& batch);

// Keys of one block that was stored before there was an index. False: its transactions' hashes are
// not known.
bool put_transaction_keys(const ImportedBlock& block, WriteBatch& batch);
// Of a block that the index covers: how many of its transactions are not in it.
Result<std::uint64_t> missing_transaction_keys(const ChainReader& reader,
                                               const ImportedBlock& block);

}  // namespace bloomery::ethlog
