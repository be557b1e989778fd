// What the encodings of transactions are made of, by their types: those of Ethereum, and those that
// some other chains add.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace bloomery::ethlog {

enum class FieldKind : std::uint8_t {
  kInteger,
  kOptionalInteger,  // zero where it is absent
  kFlag,             // false where it is absent
  kParity,           // yParity, or v in nodes that know no other name
  kHash,
  kAddress,
  kReceiver,  // an address, or null
  kData,      // input, or data in some nodes
  kBytes,
  kAccessList,
  kHashes,
  kAuthorizations
};

struct TransactionField {
  std::string_view name;
  FieldKind kind;
};

struct TransactionKind {
  std::uint64_t type;
  std::vector<TransactionField> fields;
};

// The table is in transaction_rlp.cc.
const std::vector<TransactionKind>& transaction_kinds();

}  // namespace bloomery::ethlog
