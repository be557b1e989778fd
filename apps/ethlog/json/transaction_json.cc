#include "apps/ethlog/json/transaction_json.h"

#include <algorithm>

#include "apps/ethlog/json/json_object.h"
#include "apps/ethlog/json/rpc_json.h"
#include "apps/ethlog/json/transaction_kinds.h"
#include "apps/ethlog/model/header.h"
#include "apps/ethlog/model/rlp.h"
#include "apps/ethlog/model/sender.h"

namespace bloomery::ethlog {
namespace {

// Members in the order in which they are given.
class OrderedObject {
 public:
  explicit OrderedObject(std::string& out) : out_{out} { out_ += '{'; }
  void raw(std::string_view name, std::string_view json) {
    if (out_.back() != '{') out_ += ',';
    out_ += '"';
    out_ += name;
    out_ += "\":";
    out_ += json;
  }
  void text(std::string_view name, std::string_view text) {
    raw(name, "\"" + std::string{text} + "\"");
  }
  void data(std::string_view name, ByteView bytes) { text(name, to_hex(bytes)); }
  void number(std::string_view name, std::uint64_t value) { text(name, to_quantity(value)); }
  void integer(std::string_view name, ByteView big_endian) { text(name, quantity_of(big_endian)); }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
};

// Nothing before London. Precondition: the header's RLP is known.
std::optional<Hash> base_fee_of(const Header& header) {
  RlpFailure failure;
  RlpReader items = RlpReader::of_list(header.rlp, failure, "block header");
  for (std::size_t i = 0; i < kMandatoryHeaderMembers; ++i) (void)items.item("member of a header");
  if (items.done()) return std::nullopt;
  return wide_integer(items.integer("base fee"));
}

std::string hashes_json(const std::vector<Hash>& hashes) {
  std::string list = "[";
  for (const Hash& hash : hashes) {
    list += list.size() > 1 ? ",\"" : "\"";
    append_hex(list, hash.view());
    list += '"';
  }
  return list + "]";
}

std::string access_list_json(const std::vector<AccessEntry>& entries) {
  std::string list = "[";
  for (const AccessEntry& entry : entries) {
    if (list.size() > 1) list += ',';
    OrderedObject object{list};
    object.data("address", entry.address.view());
    object.raw("storageKeys", hashes_json(entry.keys));
    object.end();
  }
  return list + "]";
}

std::string authorizations_json(const std::vector<Authorization>& all) {
  std::string list = "[";
  for (const Authorization& one : all) {
    if (list.size() > 1) list += ',';
    OrderedObject object{list};
    object.integer("chainId", one.chain_id);
    object.data("address", one.address.view());
    object.number("nonce", one.nonce);
    object.integer("yParity", one.y_parity);
    object.integer("r", one.r);
    object.integer("s", one.s);
    object.end();
  }
  return list + "]";
}

// Of a JSON object that is stored, a member that is a text.
std::optional<std::string> text_in(const std::string& object, std::string_view wanted) {
  if (!is_json(object) || json_kind(object) != JsonKind::kObject) return std::nullopt;
  std::optional<std::string> found;
  visit_json_members(object, [&](const std::string& name, std::string_view value) {
    if (name == wanted && json_kind(value) == JsonKind::kString) found = json_text(value);
  });
  return found;
}

// What the import gave beyond the encodings: with the transaction, or with its receipt.
std::optional<Address> stored_address(const ImportedBlock& block, std::size_t index,
                                      std::string_view name) {
  std::optional<std::string> text;
  if (index < block.transaction_json.size()) text = text_in(block.transaction_json[index], name);
  if (!text && index < block.receipts.size())
    text = text_in(block.receipts[index].extra_json, name);
  return text ? Address::from_hex(*text) : std::nullopt;
}

void add_place(OrderedObject& object, const ImportedBlock& block) {
  object.data("blockHash", block.header.hash.view());
  object.number("blockNumber", block.header.number);
  object.number("blockTimestamp", block.header.timestamp);
}

void add_prices(OrderedObject& object, const TransactionFields& fields,
                const BlockTransactions& block) {
  if (!fields.has_tip())
    object.integer("gasPrice", fields.price);
  else if (block.fee_known)
    object.integer("gasPrice", price_paid(fields, block.base_fee).view());
  if (fields.has_tip()) object.integer("maxFeePerGas", fields.price);
  if (fields.has_tip()) object.integer("maxPriorityFeePerGas", fields.tip);
  if (fields.type == 3) object.integer("maxFeePerBlobGas", fields.blob_price);
}

void add_signature(OrderedObject& object, const TransactionFields& fields) {
  object.integer("v", fields.v);
  object.integer("r", fields.r);
  object.integer("s", fields.s);
  if (fields.type > 0) object.integer("yParity", fields.v);
}

// Members that a chain other than Ethereum's has besides.
void add_further(OrderedObject& object, const ImportedBlock& block, std::size_t index) {
  static constexpr std::string_view kWritten[] = {"blockHash",
                                                  "blockNumber",
                                                  "blockTimestamp",
                                                  "from",
                                                  "gas",
                                                  "gasPrice",
                                                  "maxFeePerGas",
                                                  "maxPriorityFeePerGas",
                                                  "maxFeePerBlobGas",
                                                  "hash",
                                                  "input",
                                                  "nonce",
                                                  "to",
                                                  "transactionIndex",
                                                  "value",
                                                  "type",
                                                  "accessList",
                                                  "chainId",
                                                  "blobVersionedHashes",
                                                  "authorizationList",
                                                  "v",
                                                  "r",
                                                  "s",
                                                  "yParity"};
  if (index >= block.transaction_json.size()) return;
  JsonObject further;
  add_members(further, block.transaction_json[index]);
  for (const auto& [name, json] : further.members())
    if (std::ranges::find(kWritten, name) == std::end(kWritten)) object.raw(name, json);
}

std::string in_quotes(std::string_view text) { return "\"" + std::string{text} + "\""; }

// Nothing where a node leaves the member out.
std::optional<std::string> field_json(RlpReader& in, FieldKind kind) {
  switch (kind) {
    case FieldKind::kInteger:
    case FieldKind::kOptionalInteger:
    case FieldKind::kParity:
      return in_quotes(quantity_of(in.integer("integer")));
    case FieldKind::kFlag:
      return in.number("flag") == 0 ? std::nullopt : std::optional<std::string>{"true"};
    case FieldKind::kReceiver: {
      const ByteView address = in.bytes("receiver");
      return address.empty() ? std::string{"null"} : in_quotes(to_hex(address));
    }
    case FieldKind::kHash:
    case FieldKind::kAddress:
    case FieldKind::kData:
    case FieldKind::kBytes:
      return in_quotes(to_hex(in.bytes("bytes")));
    case FieldKind::kAccessList:
      return access_list_json(read_access_list(in.list("access list")));
    case FieldKind::kHashes:
    case FieldKind::kAuthorizations:
      break;  // only Ethereum's own types have them
  }
  (void)in.item("list");
  return std::nullopt;
}

// Of the types that some other chains add.
void add_encoded(JsonObject& object, const Transaction& transaction) {
  const auto& kinds = transaction_kinds();
  const auto kind = std::ranges::find(kinds, transaction.type, &TransactionKind::type);
  if (kind == kinds.end()) return;
  RlpFailure failure;
  RlpReader in = RlpReader::of_list(transaction.encoding.subspan(transaction.type == 0 ? 0 : 1),
                                    failure, "transaction");
  JsonObject read;
  for (const TransactionField& field : kind->fields)
    if (auto json = field_json(in, field.kind)) read.raw(field.name, std::move(*json));
  in.expect_end("transaction");
  if (!failure)
    for (const auto& [name, json] : read.members()) object.raw(name, json);
}

// Of a type that is not known, or without its encoding: what any transaction has, and what the
// import gave, by name.
void append_stored(std::string& out, const ImportedBlock& block, const Hash& hash,
                   const Transaction* transaction, std::size_t index) {
  JsonObject object;
  if (transaction != nullptr) add_encoded(object, *transaction);
  if (index < block.transaction_json.size()) add_members(object, block.transaction_json[index]);
  for (const char* name : {"from", "to"}) {
    const auto address = stored_address(block, index, name);
    if (address && !object.members().contains(name)) object.data(name, address->view());
  }
  object.data("blockHash", block.header.hash.view());
  object.quantity("blockNumber", block.header.number);
  object.quantity("blockTimestamp", block.header.timestamp);
  object.data("hash", hash.view());
  object.quantity("transactionIndex", index);
  if (transaction != nullptr) object.quantity("type", transaction->type);
  object.append_to(out);
}

}  // namespace

Result<std::optional<BlockTransactions>> transactions_of(const ImportedBlock& block) {
  if (block.body_rlp.empty()) return std::optional<BlockTransactions>{};
  auto body = decode_body(block.body_rlp);
  if (!body) return body.error();
  std::optional<BlockTransactions> transactions{std::in_place};
  transactions->body = std::move(*body);
  transactions->fee_known = !block.header.rlp.empty();
  if (transactions->fee_known) transactions->base_fee = base_fee_of(block.header);
  return transactions;
}

std::optional<Address> sender_in(const ImportedBlock& block, std::size_t index,
                                 const TransactionFields& fields) {
  if (const auto signer = sender_of(fields)) return signer;
  return stored_address(block, index, "from");
}

bool has_stored_transactions(const ImportedBlock& block) {
  return !block.transaction_json.empty() &&
         block.transaction_json.size() == block.transaction_hashes.size();
}

void append_stored_transaction_json(std::string& out, const ImportedBlock& block,
                                    std::size_t index) {
  append_stored(out, block, block.transaction_hashes[index], nullptr, index);
}

void append_transaction_json(std::string& out, const ImportedBlock& block,
                             const BlockTransactions& transactions, std::size_t index) {
  const Transaction& transaction = transactions.body.transactions[index];
  const auto fields = decode_transaction(transaction);
  if (!fields) return append_stored(out, block, transaction.hash(), &transaction, index);
  OrderedObject object{out};
  add_place(object, block);
  if (const auto sender = sender_in(block, index, *fields)) object.data("from", sender->view());
  object.number("gas", fields->gas);
  add_prices(object, *fields, transactions);
  object.data("hash", transaction.hash().view());
  object.data("input", fields->data);
  object.number("nonce", fields->nonce);
  object.raw("to", fields->to ? "\"" + fields->to->hex() + "\"" : "null");
  object.number("transactionIndex", index);
  object.integer("value", fields->value);
  object.number("type", fields->type);
  if (fields->has_access_list()) object.raw("accessList", access_list_json(fields->access_list));
  if (fields->chain_id) object.integer("chainId", fields->chain_id->view());
  if (fields->type == 3 && !fields->blob_hashes.empty())
    object.raw("blobVersionedHashes", hashes_json(fields->blob_hashes));
  if (fields->type == 4 && !fields->authorizations.empty())
    object.raw("authorizationList", authorizations_json(fields->authorizations));
  add_signature(object, *fields);
  add_further(object, block, index);
  object.end();
}

}  // namespace bloomery::ethlog
