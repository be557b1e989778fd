// The members of a receipt's JSON that come from its transaction.
#pragma once
#include "apps/ethlog/model/block_body.h"

namespace bloomery::ethlog {

// Big-endian, with the zeros before it. Precondition: at most 32 bytes.
Hash wide_integer(ByteView integer);

struct TransactionFields {
  std::optional<Address> to;  // nothing: it makes a contract
  Hash price;                 // that was paid per gas, big-endian
  std::uint64_t blobs = 0;
};

// `base_fee` of the block, big-endian; nothing before London. Nothing for types that are not known
// and encodings that are not as their type says.
std::optional<TransactionFields> fields_of(const Transaction& transaction,
                                           const std::optional<Hash>& base_fee);

}  // namespace bloomery::ethlog
