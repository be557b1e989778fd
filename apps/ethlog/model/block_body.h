// A block's body: what of it a log search needs, which is each transaction's type and hash, and the
// roots by which the header commits it.
#pragma once
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

struct Transaction {
  std::uint8_t type;
  ByteView encoding;  // what is hashed: a legacy one's list, a typed one's type and list
  Hash hash() const { return keccak_hash(encoding); }
};

// Views into the bytes it was decoded from.
struct Body {
  std::vector<Transaction> transactions;
  ByteView uncles;                                   // the whole list; the header has its keccak
  std::optional<std::vector<ByteView>> withdrawals;  // each whole; nothing before Shanghai

  std::vector<Hash> transaction_hashes() const;
  Hash transactions_root() const;
  Hash uncles_hash() const { return keccak_hash(uncles); }
  std::optional<Hash> withdrawals_root() const;
};

// [transactions, uncles, withdrawals?]
Result<Body> decode_body(ByteView rlp);

}  // namespace bloomery::ethlog
