#include "apps/ethlog/json/json_body.h"

#include <algorithm>

#include "apps/ethlog/json/json_members.h"
#include "apps/ethlog/json/transaction_rlp.h"
#include "apps/ethlog/model/block_body.h"
#include "apps/ethlog/model/rlp.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using Json = nlohmann::json;

// Texts, or objects with a member "hash".
Status read_transaction_hashes(const Json& list, ImportedBlock& block) {
  if (!list.is_array()) return bad_member("transactions", "a list", list);
  block.transaction_hashes.reserve(list.size());
  for (const Json& transaction : list) {
    const std::string* text = transaction.is_object() ? text_member(transaction, "hash")
                                                      : transaction.get_ptr<const std::string*>();
    const auto hash = text != nullptr ? Hash::from_hex(*text) : std::nullopt;
    if (!hash) return bad_member("transactions", "hashes, or objects with a hash", transaction);
    block.transaction_hashes.push_back(*hash);
  }
  return ok();
}

// False: one of them is not known in full, or its bytes do not give its hash. That is an error
// where they must, because then it was altered on its way.
Result<bool> write_transactions(RlpWriter& out, const Json& list, const std::vector<Hash>& hashes) {
  out.begin_list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_object()) return false;
    const auto encoded = encode_transaction(list[i]);
    if (!encoded) return false;
    if (const Hash given = keccak_hash(*encoded); given != hashes[i]) {
      if (!must_give_its_hash(list[i])) return false;
      return Error{ErrorCode::kMalformed, message("transaction ", i, ": its members give the hash ",
                                                  given.hex(), ", not ", hashes[i].hex())};
    }
    if (std::to_integer<unsigned>(encoded->front()) >= 0xc0)
      out.item(*encoded);
    else
      out.bytes(*encoded);
  }
  out.end_list();
  return true;
}

// The source names uncles by their hashes alone, so only a list without any is known.
bool write_uncles(RlpWriter& out, const Json& json, const Header& header) {
  static const Hash no_uncles = keccak_hash(bytes_of("\xc0"));
  const Json* uncles = member(json, "uncles");
  const bool none =
      uncles != nullptr ? uncles->is_array() && uncles->empty() : header.uncles_hash == no_uncles;
  out.begin_list();
  out.end_list();
  return none;
}

bool write_withdrawal(RlpWriter& out, const Json& json) {
  if (!json.is_object()) return false;
  Members members{json};
  std::optional<std::uint64_t> index;
  std::optional<std::uint64_t> validator;
  std::optional<std::uint64_t> amount;
  std::optional<Address> address;
  if (!members.number("index", index) || !members.number("validatorIndex", validator) ||
      !members.fixed("address", address) || !members.number("amount", amount))
    return false;
  if (!index || !validator || !address || !amount) return false;
  out.begin_list();
  out.number(*index);
  out.number(*validator);
  out.bytes(address->bytes);
  out.number(*amount);
  out.end_list();
  return true;
}

bool write_withdrawals(RlpWriter& out, const Json& json, const Header& header) {
  const Json* list = member(json, "withdrawals");
  if (list == nullptr) return !header.withdrawals_root;
  if (!header.withdrawals_root || !list->is_array()) return false;
  out.begin_list();
  const bool whole =
      std::ranges::all_of(*list, [&](const Json& one) { return write_withdrawal(out, one); });
  out.end_list();
  return whole;
}

// Empty: not known in full.
Result<std::vector<std::byte>> encode_body(const Json& json, const Json& transactions,
                                           const ImportedBlock& block) {
  RlpWriter out;
  out.begin_list();
  const auto written = write_transactions(out, transactions, block.transaction_hashes);
  if (!written) return written.error();
  if (!*written || !write_uncles(out, json, block.header) ||
      !write_withdrawals(out, json, block.header))
    return std::vector<std::byte>{};
  out.end_list();
  return out.take();
}

// A header that is not known by its hash proves nothing against the body, nor the body itself.
bool fits(ByteView rlp, const Header& header) {
  if (!header.rlp.empty()) return true;
  const auto body = decode_body(rlp);
  return body && body->transactions_root() == header.transactions_root &&
         body->uncles_hash() == header.uncles_hash &&
         body->withdrawals_root() == header.withdrawals_root;
}

void keep_transaction_members(const Json& transactions, ImportedBlock& block) {
  const bool encoded = !block.body_rlp.empty();
  static constexpr std::string_view kOfItsPlace[] = {"hash", "blockHash", "blockNumber",
                                                     "blockTimestamp", "transactionIndex"};
  bool any = false;
  for (const Json& transaction : transactions) {
    Json rest = Json::object();
    if (transaction.is_object())
      for (const auto& [name, value] : transaction.items())
        if (encoded ? !is_encoded_member(transaction, name)
                    : std::ranges::find(kOfItsPlace, name) == std::end(kOfItsPlace))
          rest[name] = value;
    block.transaction_json.push_back(compact(rest));
    any = any || !rest.empty();
  }
  if (!any) block.transaction_json.clear();
}

}  // namespace

Status read_body(const Json& json, ImportedBlock& block) {
  if (const Json* hashes = member(json, "txHashes"); hashes != nullptr)
    if (const Status s = read_transaction_hashes(*hashes, block); !s) return s;
  const Json* transactions = member(json, "transactions");
  if (transactions == nullptr) return ok();
  if (block.transaction_hashes.empty())
    if (const Status s = read_transaction_hashes(*transactions, block); !s) return s;
  if (!transactions->is_array() || transactions->size() != block.transaction_hashes.size() ||
      !block.body_rlp.empty())
    return ok();
  auto body = encode_body(json, *transactions, block);
  if (!body) return body.error();
  if (!body->empty() && fits(*body, block.header)) block.body_rlp = std::move(*body);
  keep_transaction_members(*transactions, block);
  return ok();
}

}  // namespace bloomery::ethlog
