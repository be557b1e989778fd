#include "apps/ethlog/json/block_json.h"
#include "apps/ethlog/json/json_object.h"
#include "apps/ethlog/json/log_json.h"
#include "apps/ethlog/json/transaction_json.h"
#include "apps/ethlog/model/receipts.h"

namespace bloomery::ethlog {
namespace {

constexpr std::uint64_t kGasOfBlob = 131'072;

// What follows from the transaction.
void add_transaction(JsonObject& object, const ImportedBlock& block,
                     const BlockTransactions& transactions, std::size_t index) {
  const auto fields = decode_transaction(transactions.body.transactions[index]);
  if (!fields) return;
  if (!fields->has_tip() || transactions.fee_known)
    object.text("effectiveGasPrice",
                quantity_of(price_paid(*fields, transactions.base_fee).view()));
  object.raw("to", fields->to ? "\"" + fields->to->hex() + "\"" : "null");
  const auto sender = sender_in(block, index, *fields);
  if (sender) object.data("from", sender->view());
  if (fields->to)
    object.raw("contractAddress", "null");
  else if (sender)
    object.data("contractAddress", contract_address(*sender, fields->nonce).view());
  if (!fields->blob_hashes.empty())
    object.quantity("blobGasUsed", fields->blob_hashes.size() * kGasOfBlob);
}

// What the source may have left out: the outcome, and the gas.
void add_outcome(JsonObject& object, const Receipt& receipt, std::uint64_t gas_before) {
  object.quantity("cumulativeGasUsed", receipt.cumulative_gas_used);
  if (receipt.cumulative_gas_used >= gas_before)
    object.quantity("gasUsed", receipt.cumulative_gas_used - gas_before);
  if (receipt.state_root)
    object.data("root", receipt.state_root->view());
  else
    object.quantity("status", receipt.succeeded ? 1 : 0);
}

std::string logs_of(const ImportedBlock& block, std::size_t receipt, std::uint64_t& index) {
  std::string list = "[";
  for (const Log& log : block.receipts[receipt].logs) {
    if (list.size() > 1) list += ',';
    append_log_json(list, {block, receipt, index++, log});
  }
  return list + "]";
}

std::uint64_t gas_before(const ImportedBlock& block, std::size_t receipt) {
  return receipt == 0 ? 0 : block.receipts[receipt - 1].cumulative_gas_used;
}

// `transactions` is null where they are not stored; `log_index` is that of its first log.
void append_one_receipt(std::string& out, const ImportedBlock& block, std::size_t i,
                        const BlockTransactions* transactions, std::uint64_t& log_index) {
  const Receipt& receipt = block.receipts[i];
  JsonObject object;
  add_members(object, receipt.extra_json);
  if (transactions != nullptr) add_transaction(object, block, *transactions, i);
  object.data("blockHash", block.header.hash.view());
  object.quantity("blockNumber", block.header.number);
  object.quantity("transactionIndex", i);
  if (receipt.transaction_hash) object.data("transactionHash", receipt.transaction_hash->view());
  if (block.receipt_types_known) object.quantity("type", receipt.type);
  if (block.receipts_complete) add_outcome(object, receipt, gas_before(block, i));
  object.data("logsBloom", bloom_of(receipt).view());
  object.raw("logs", logs_of(block, i, log_index));
  object.append_to(out);
}

// Null where there are none for these receipts.
const BlockTransactions* fitting(const Result<std::optional<BlockTransactions>>& read,
                                 const ImportedBlock& block) {
  if (!read || !*read || (*read)->body.transactions.size() != block.receipts.size()) return nullptr;
  return &**read;
}

}  // namespace

void append_receipts_json(std::string& out, const ImportedBlock& block) {
  const auto transactions = transactions_of(block);
  std::uint64_t log_index = 0;
  out += '[';
  for (std::size_t i = 0; i < block.receipts.size(); ++i) {
    if (i > 0) out += ',';
    append_one_receipt(out, block, i, fitting(transactions, block), log_index);
  }
  out += ']';
}

void append_receipt_json(std::string& out, const ImportedBlock& block, std::size_t index) {
  const auto transactions = transactions_of(block);
  std::uint64_t log_index = 0;
  for (std::size_t i = 0; i < index; ++i) log_index += block.receipts[i].logs.size();
  append_one_receipt(out, block, index, fitting(transactions, block), log_index);
}

}  // namespace bloomery::ethlog
