#include "apps/ethlog/json/transaction_rlp.h"

#include <algorithm>

#include "apps/ethlog/json/json_members.h"
#include "apps/ethlog/json/transaction_kinds.h"
#include "apps/ethlog/model/rlp.h"

namespace bloomery::ethlog {
namespace {

using Json = nlohmann::json;

using enum FieldKind;

}  // namespace

const std::vector<TransactionKind>& transaction_kinds() {
  static const std::vector<TransactionKind> kinds{
      {0x00,
       {{"nonce", kInteger},
        {"gasPrice", kInteger},
        {"gas", kInteger},
        {"to", kReceiver},
        {"value", kInteger},
        {"input", kData},
        {"v", kInteger},
        {"r", kInteger},
        {"s", kInteger}}},
      {0x01,
       {{"chainId", kInteger},
        {"nonce", kInteger},
        {"gasPrice", kInteger},
        {"gas", kInteger},
        {"to", kReceiver},
        {"value", kInteger},
        {"input", kData},
        {"accessList", kAccessList},
        {"yParity", kParity},
        {"r", kInteger},
        {"s", kInteger}}},
      {0x02,
       {{"chainId", kInteger},
        {"nonce", kInteger},
        {"maxPriorityFeePerGas", kInteger},
        {"maxFeePerGas", kInteger},
        {"gas", kInteger},
        {"to", kReceiver},
        {"value", kInteger},
        {"input", kData},
        {"accessList", kAccessList},
        {"yParity", kParity},
        {"r", kInteger},
        {"s", kInteger}}},
      {0x03,
       {{"chainId", kInteger},
        {"nonce", kInteger},
        {"maxPriorityFeePerGas", kInteger},
        {"maxFeePerGas", kInteger},
        {"gas", kInteger},
        {"to", kAddress},
        {"value", kInteger},
        {"input", kData},
        {"accessList", kAccessList},
        {"maxFeePerBlobGas", kInteger},
        {"blobVersionedHashes", kHashes},
        {"yParity", kParity},
        {"r", kInteger},
        {"s", kInteger}}},
      {0x04,
       {{"chainId", kInteger},
        {"nonce", kInteger},
        {"maxPriorityFeePerGas", kInteger},
        {"maxFeePerGas", kInteger},
        {"gas", kInteger},
        {"to", kAddress},
        {"value", kInteger},
        {"input", kData},
        {"accessList", kAccessList},
        {"authorizationList", kAuthorizations},
        {"yParity", kParity},
        {"r", kInteger},
        {"s", kInteger}}},
      // Arbitrum: a deposit, calls from the first layer, tickets, and the block's own.
      {0x64,
       {{"chainId", kInteger},
        {"requestId", kHash},
        {"from", kAddress},
        {"to", kAddress},
        {"value", kInteger}}},
      {0x65,
       {{"chainId", kInteger},
        {"from", kAddress},
        {"nonce", kInteger},
        {"gasPrice", kInteger},
        {"gas", kInteger},
        {"to", kReceiver},
        {"value", kInteger},
        {"input", kData}}},
      {0x66,
       {{"chainId", kInteger},
        {"requestId", kHash},
        {"from", kAddress},
        {"gasPrice", kInteger},
        {"gas", kInteger},
        {"to", kReceiver},
        {"value", kInteger},
        {"input", kData}}},
      {0x68,
       {{"chainId", kInteger},
        {"nonce", kInteger},
        {"from", kAddress},
        {"gasPrice", kInteger},
        {"gas", kInteger},
        {"to", kReceiver},
        {"value", kInteger},
        {"input", kData},
        {"ticketId", kHash},
        {"refundTo", kAddress},
        {"maxRefund", kInteger},
        {"submissionFeeRefund", kInteger}}},
      {0x69,
       {{"chainId", kInteger},
        {"requestId", kHash},
        {"from", kAddress},
        {"l1BaseFee", kInteger},
        {"depositValue", kInteger},
        {"gasPrice", kInteger},
        {"gas", kInteger},
        {"retryTo", kReceiver},
        {"retryValue", kInteger},
        {"beneficiary", kAddress},
        {"maxSubmissionFee", kInteger},
        {"refundTo", kAddress},
        {"retryData", kBytes}}},
      {0x6a, {{"chainId", kInteger}, {"input", kData}}},
      // Celo: fees in another currency, in two generations.
      {0x7b,
       {{"chainId", kInteger},
        {"nonce", kInteger},
        {"maxPriorityFeePerGas", kInteger},
        {"maxFeePerGas", kInteger},
        {"gas", kInteger},
        {"to", kReceiver},
        {"value", kInteger},
        {"input", kData},
        {"accessList", kAccessList},
        {"feeCurrency", kReceiver},
        {"yParity", kParity},
        {"r", kInteger},
        {"s", kInteger}}},
      {0x7c,
       {{"chainId", kInteger},
        {"nonce", kInteger},
        {"maxPriorityFeePerGas", kInteger},
        {"maxFeePerGas", kInteger},
        {"gas", kInteger},
        {"feeCurrency", kReceiver},
        {"gatewayFeeRecipient", kReceiver},
        {"gatewayFee", kOptionalInteger},
        {"to", kReceiver},
        {"value", kInteger},
        {"input", kData},
        {"accessList", kAccessList},
        {"yParity", kParity},
        {"r", kInteger},
        {"s", kInteger}}},
      // Optimism: a deposit from the first layer.
      {0x7e,
       {{"sourceHash", kHash},
        {"from", kAddress},
        {"to", kReceiver},
        {"mint", kOptionalInteger},
        {"value", kInteger},
        {"gas", kInteger},
        {"isSystemTx", kFlag},
        {"input", kData}}}};
  return kinds;
}

namespace {

constexpr std::uint64_t kLastSigned = 4;  // the last type of Ethereum's own

const TransactionKind* kind_of(const Json& transaction) {
  std::optional<std::uint64_t> type;
  if (!Members{transaction}.number("type", type)) return nullptr;
  const auto& kinds = transaction_kinds();
  const auto found = std::ranges::find(kinds, type.value_or(0), &TransactionKind::type);
  return found == kinds.end() ? nullptr : &*found;
}

bool write_hex(RlpWriter& out, const std::string* text, std::optional<std::size_t> size) {
  const auto raw = text == nullptr ? std::nullopt : bytes_from_hex(*text);
  if (!raw || (size && raw->size() != *size)) return false;
  out.bytes(*raw);
  return true;
}

bool write_integer(RlpWriter& out, const Json* found) {
  std::optional<std::vector<std::byte>> integer;
  if (found != nullptr && found->is_string())
    integer = integer_from_quantity(found->get_ref<const std::string&>());
  else if (found != nullptr && found->is_number_unsigned())
    return out.number(found->get<std::uint64_t>()), true;
  if (!integer) return false;
  out.integer(*integer);
  return true;
}

// write(item) says false where the item is malformed.
template <class Write>
bool write_list(RlpWriter& out, const Json* list, Write write) {
  if (list == nullptr || !list->is_array()) return false;
  out.begin_list();
  const bool whole = std::ranges::all_of(*list, write);
  out.end_list();
  return whole;
}

bool write_hashes(RlpWriter& out, const Json* list) {
  return write_list(out, list, [&](const Json& hash) {
    return write_hex(out, hash.get_ptr<const std::string*>(), Hash::kSize);
  });
}

bool write_access_list(RlpWriter& out, const Json* list) {
  return write_list(out, list, [&](const Json& one) {
    if (!one.is_object()) return false;
    out.begin_list();
    const bool whole = write_hex(out, text_member(one, "address"), Address::kSize) &&
                       write_hashes(out, member(one, "storageKeys"));
    out.end_list();
    return whole;
  });
}

const Json* parity_of(const Json& object) {
  const Json* parity = member(object, "yParity");
  return parity != nullptr ? parity : member(object, "v");
}

bool write_authorizations(RlpWriter& out, const Json* list) {
  return write_list(out, list, [&](const Json& one) {
    if (!one.is_object()) return false;
    out.begin_list();
    const bool whole = write_integer(out, member(one, "chainId")) &&
                       write_hex(out, text_member(one, "address"), Address::kSize) &&
                       write_integer(out, member(one, "nonce")) &&
                       write_integer(out, parity_of(one)) && write_integer(out, member(one, "r")) &&
                       write_integer(out, member(one, "s"));
    out.end_list();
    return whole;
  });
}

bool write_field(RlpWriter& out, const Json& object, const TransactionField& field) {
  const Json* found = member(object, field.name);
  switch (field.kind) {
    case kInteger:
      return write_integer(out, found);
    case kOptionalInteger:
      if (found != nullptr) return write_integer(out, found);
      return out.number(0), true;
    case kFlag:
      if (found != nullptr && !found->is_boolean()) return false;
      return out.number(found != nullptr && found->get<bool>() ? 1 : 0), true;
    case kParity:
      return write_integer(out, parity_of(object));
    case kHash:
      return write_hex(out, text_member(object, field.name), Hash::kSize);
    case kAddress:
      return write_hex(out, text_member(object, field.name), Address::kSize);
    case kReceiver:
      if (found != nullptr) return write_hex(out, text_member(object, field.name), Address::kSize);
      return out.bytes({}), true;
    case kData: {
      const std::string* input = text_member(object, field.name);
      return write_hex(out, input != nullptr ? input : text_member(object, "data"), std::nullopt);
    }
    case kBytes:
      return write_hex(out, text_member(object, field.name), std::nullopt);
    case kAccessList:
      return write_access_list(out, found);
    case kHashes:
      return write_hashes(out, found);
    case kAuthorizations:
      return write_authorizations(out, found);
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::byte>> encode_transaction(const Json& transaction) {
  const TransactionKind* kind = kind_of(transaction);
  if (kind == nullptr) return std::nullopt;
  RlpWriter out;
  const std::byte type[] = {static_cast<std::byte>(kind->type)};
  if (kind->type != 0) out.item(type);
  out.begin_list();
  bool whole = true;
  for (const TransactionField& field : kind->fields)
    whole = whole && write_field(out, transaction, field);
  out.end_list();
  if (!whole) return std::nullopt;
  return out.take();
}

bool must_give_its_hash(const Json& transaction) {
  if (!transaction.is_object()) return false;
  const TransactionKind* kind = kind_of(transaction);
  if (kind == nullptr || kind->type > kLastSigned) return false;
  // Some chains add transactions that nobody signed, and hash them by rules of their own.
  const auto is_signed = [&](const char* part) {
    const std::string* text = text_member(transaction, part);
    return text != nullptr && text->find_first_not_of("0x") != std::string::npos;
  };
  if (!is_signed("r") || !is_signed("s")) return false;
  const auto members = transaction.items();
  return std::all_of(members.begin(), members.end(),
                     [&](const auto& one) { return is_encoded_member(transaction, one.key()); });
}

bool is_encoded_member(const Json& transaction, std::string_view name) {
  static constexpr std::string_view kOfItsPlace[] = {
      "hash", "type", "blockHash", "blockNumber", "blockTimestamp", "transactionIndex"};
  // What is signed gives its sender; a price paid follows from the block's base fee.
  static constexpr std::string_view kOfSigned[] = {"from", "chainId", "gasPrice",
                                                   "data", "v",       "yParity"};
  const auto has = [&](const auto& names) {
    return std::ranges::find(names, name) != std::end(names);
  };
  if (has(kOfItsPlace)) return true;
  const TransactionKind* kind = kind_of(transaction);
  if (kind == nullptr) return false;
  return (kind->type <= kLastSigned && has(kOfSigned)) ||
         std::ranges::find(kind->fields, name, &TransactionField::name) != kind->fields.end();
}

}  // namespace bloomery::ethlog
