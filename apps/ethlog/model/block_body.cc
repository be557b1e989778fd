#include "apps/ethlog/model/block_body.h"

#include "apps/ethlog/model/rlp.h"
#include "apps/ethlog/model/trie_root.h"

namespace bloomery::ethlog {
namespace {

Transaction read_transaction(RlpReader& list, RlpFailure& failure) {
  if (list.next_is_list()) return {0, list.item("transaction")};
  const ByteView typed = list.bytes("typed transaction");
  const auto type = typed.empty() ? 0U : std::to_integer<unsigned>(typed[0]);
  if (type == 0 || type >= 0x80)
    failure.set(ErrorCode::kMalformed,
                "typed transaction: it should begin with a type from 1 to 127");
  return {static_cast<std::uint8_t>(type), typed};
}

}  // namespace

namespace {

std::vector<ByteView> encodings_of(const std::vector<Transaction>& transactions) {
  std::vector<ByteView> encodings;
  encodings.reserve(transactions.size());
  for (const Transaction& transaction : transactions) encodings.push_back(transaction.encoding);
  return encodings;
}

}  // namespace

std::vector<Hash> Body::transaction_hashes() const {
  return keccak_hashes(encodings_of(transactions));
}

Hash Body::transactions_root() const { return ordered_trie_root(encodings_of(transactions)); }

std::optional<Hash> Body::withdrawals_root() const {
  if (!withdrawals) return std::nullopt;
  return ordered_trie_root(*withdrawals);
}

Result<Body> decode_body(ByteView rlp) {
  RlpFailure failure;
  RlpReader items = RlpReader::of_list(rlp, failure, "block body");
  Body body;
  RlpReader transactions = items.list("transactions of a block body");
  while (!transactions.done()) body.transactions.push_back(read_transaction(transactions, failure));
  if (!items.done() && !items.next_is_list())
    failure.set(ErrorCode::kMalformed, "uncles of a block body: a list was expected");
  body.uncles = items.item("uncles of a block body");
  if (!items.done()) {
    RlpReader withdrawals = items.list("withdrawals of a block body");
    body.withdrawals.emplace();
    while (!withdrawals.done()) body.withdrawals->push_back(withdrawals.item("withdrawal"));
  }
  items.expect_end("block body");
  if (failure) return failure.error();
  return body;
}

}  // namespace bloomery::ethlog
