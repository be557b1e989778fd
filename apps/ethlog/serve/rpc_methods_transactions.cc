// Methods that name one transaction.
#include "apps/ethlog/json/block_json.h"
#include "apps/ethlog/json/transaction_json.h"
#include "apps/ethlog/serve/rpc_blocks.h"
#include "apps/ethlog/serve/rpc_methods.h"
#include "apps/ethlog/store/transaction_index.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using Outcome = std::optional<RpcError>;

constexpr int kMostLookups = 3;  // when the chain is reorganised meanwhile

// A reorganisation may take a transaction from a block that was looked at into one that was not.
Result<std::optional<TransactionPlace>> find_steadily(const LiveChain& chain, const Hash& hash) {
  for (int tries = 1;; ++tries) {
    const std::uint64_t before = chain.reorganisations();
    auto place = find_transaction(chain.reader(), hash);
    if ((place && *place) || tries == kMostLookups || chain.reorganisations() == before)
      return place;
  }
}

Outcome append_whole_transaction(const ImportedBlock& block, std::uint64_t index,
                                 std::string& out) {
  if (auto error = check_transactions(block)) return error;
  const auto transactions = transactions_of(block);
  if (!transactions) return failed(transactions.error().message);
  if (!*transactions && has_stored_transactions(block) && index < block.transaction_hashes.size())
    append_stored_transaction_json(out, block, static_cast<std::size_t>(index));
  else if (!*transactions || index >= (*transactions)->body.transactions.size())
    out += "null";
  else
    append_transaction_json(out, block, **transactions, static_cast<std::size_t>(index));
  return std::nullopt;
}

// `append(place)`, or null where there is no such transaction.
template <class Append>
Outcome with_transaction(const RpcService& service, RpcArguments& arguments, std::string& out,
                         const Append& append) {
  const Hash hash = arguments.hash();
  if (const auto& error = arguments.finish()) return error;
  const auto place = find_steadily(service.chain, hash);
  if (!place) return failed(place.error().message);
  if (*place) return append(**place);
  out += "null";
  return std::nullopt;
}

}  // namespace

Outcome get_transaction_by_hash(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                                std::string& out) {
  return with_transaction(service, arguments, out, [&](const TransactionPlace& place) {
    return append_whole_transaction(*place.block, place.index, out);
  });
}

Outcome get_transaction_by_index(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                                 std::string& out) {
  const BlockName name = arguments.block_name();
  const std::uint64_t index = arguments.quantity();
  if (const auto& error = arguments.finish()) return error;
  return with_block(service.chain.reader(), name, out, [&](const ImportedBlock& block) {
    return append_whole_transaction(block, index, out);
  });
}

Outcome get_transaction_receipt(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                                std::string& out) {
  return with_transaction(service, arguments, out, [&](const TransactionPlace& place) -> Outcome {
    if (!place.block->has_receipts)
      return failed(message("the receipts of block ", to_quantity(place.block->header.number),
                            " are not stored"));
    append_receipt_json(out, *place.block, place.index);
    return std::nullopt;
  });
}

}  // namespace bloomery::ethlog
