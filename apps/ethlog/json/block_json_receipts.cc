#include "apps/ethlog/json/block_json.h"
#include "apps/ethlog/json/json_object.h"
#include "apps/ethlog/json/log_json.h"
#include "apps/ethlog/model/header.h"
#include "apps/ethlog/model/receipts.h"
#include "apps/ethlog/model/rlp.h"
#include "apps/ethlog/model/transaction_fields.h"

namespace bloomery::ethlog {
namespace {

constexpr std::uint64_t kGasOfBlob = 131'072;

// Nothing before London. Precondition: the header's RLP is known.
std::optional<Hash> base_fee_of(const Header& header) {
  RlpFailure failure;
  RlpReader items = RlpReader::of_list(header.rlp, failure, "block header");
  for (std::size_t i = 0; i < kMandatoryHeaderMembers; ++i) (void)items.item("member of a header");
  if (items.done()) return std::nullopt;
  return wide_integer(items.integer("base fee"));
}

void add_transaction(JsonObject& object, const Transaction& transaction,
                     const std::optional<Hash>& base_fee) {
  const auto fields = fields_of(transaction, base_fee);
  if (!fields) return;
  object.text("effectiveGasPrice", quantity_of(fields->price.view()));
  object.raw("to", fields->to ? "\"" + fields->to->hex() + "\"" : "null");
  if (fields->to) object.raw("contractAddress", "null");
  if (fields->blobs > 0) object.quantity("blobGasUsed", fields->blobs * kGasOfBlob);
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

}  // namespace

void append_receipts_json(std::string& out, const ImportedBlock& block) {
  const auto body = block.body_rlp.empty() ? Result<Body>{Body{}} : decode_body(block.body_rlp);
  const bool named =
      body && body->transactions.size() == block.receipts.size() && !block.header.rlp.empty();
  const auto base_fee = named ? base_fee_of(block.header) : std::nullopt;
  std::uint64_t log_index = 0;
  std::uint64_t gas_before = 0;
  out += '[';
  for (std::size_t i = 0; i < block.receipts.size(); ++i) {
    const Receipt& receipt = block.receipts[i];
    JsonObject object;
    add_members(object, receipt.extra_json);
    if (named) add_transaction(object, body->transactions[i], base_fee);
    object.data("blockHash", block.header.hash.view());
    object.quantity("blockNumber", block.header.number);
    object.quantity("transactionIndex", i);
    if (receipt.transaction_hash) object.data("transactionHash", receipt.transaction_hash->view());
    if (block.receipt_types_known) object.quantity("type", receipt.type);
    if (block.receipts_complete) add_outcome(object, receipt, gas_before);
    object.data("logsBloom", bloom_of(receipt).view());
    object.raw("logs", logs_of(block, i, log_index));
    gas_before = receipt.cumulative_gas_used;
    if (i > 0) out += ',';
    object.append_to(out);
  }
  out += ']';
}

}  // namespace bloomery::ethlog
