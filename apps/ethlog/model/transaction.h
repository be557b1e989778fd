// What a transaction says, of the types 0 to 4 that mainnet has.
#pragma once
#include <array>

#include "apps/ethlog/model/block_body.h"
#include "apps/ethlog/model/rlp.h"

namespace bloomery::ethlog {

struct AccessEntry {
  Address address;
  std::vector<Hash> keys;
};

struct Authorization {
  ByteView chain_id;
  Address address;
  std::uint64_t nonce = 0;
  ByteView y_parity, r, s;
};

// Views point into the encoding that it was decoded from. Integers are big-endian, without leading
// zeros.
struct TransactionFields {
  std::uint8_t type = 0;
  ByteView unsigned_items;       // of the encoding: all before the signature
  std::optional<Hash> chain_id;  // big-endian; nothing before EIP-155
  std::uint64_t nonce = 0;
  ByteView price;  // per gas; from type 2 on the most that is paid
  ByteView tip;    // from type 2 on
  std::uint64_t gas = 0;
  std::optional<Address> to;  // nothing: it makes a contract
  ByteView value;
  ByteView data;
  std::vector<AccessEntry> access_list;  // from type 1 on
  ByteView blob_price;                   // of type 3: the most that is paid
  std::vector<Hash> blob_hashes;
  std::vector<Authorization> authorizations;  // of type 4
  ByteView v, r, s;
  std::optional<unsigned> y_parity;  // 0 or 1; nothing where v is neither of them

  bool has_access_list() const { return type >= 1; }
  bool has_tip() const { return type >= 2; }
};

// An error for types that are not known (kUnsupported) and encodings that are not as their type
// says.
Result<TransactionFields> decode_transaction(const Transaction& transaction);

std::vector<AccessEntry> read_access_list(RlpReader list);

// Big-endian, with the zeros before it. Precondition: at most 32 bytes.
Hash wide_integer(ByteView integer);

// That was paid per gas, big-endian. `base_fee` of the block; nothing before London.
Hash price_paid(const TransactionFields& fields, const std::optional<Hash>& base_fee);

// What the sender signed. Precondition: y_parity is known.
Hash signing_hash(const TransactionFields& fields);

// Of the contract that a transaction with this nonce makes.
Address contract_address(const Address& sender, std::uint64_t nonce);

}  // namespace bloomery::ethlog
