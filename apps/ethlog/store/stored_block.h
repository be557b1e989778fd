// A block from the bytes that geth stores: what its database and its freezer have in common.
#pragma once
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

struct StoredParts {
  std::vector<std::byte> header;                   // RLP
  std::optional<std::vector<std::byte>> body;      // RLP; nothing where history was pruned
  std::optional<std::vector<std::byte>> receipts;  // storage form; likewise
};

// Not yet checked: check_block does that. `hash` is the one it is stored under.
Result<ImportedBlock> block_from_parts(std::uint64_t number, const Hash& hash, StoredParts parts);

// For a block whose source gave no header: only body and receipts, under their hash and number.
Result<ImportedBlock> block_without_header(std::uint64_t number, const Hash& hash,
                                           StoredParts parts);

// Types and hashes of the transactions, out of the body, into the receipts; hashes alone where the
// receipts have them and there is no body. Receipts that are not as many as the transactions are
// an error.
Status name_transactions(ImportedBlock& block);

}  // namespace bloomery::ethlog
