#include "apps/ethlog/json/json_block.h"

#include "apps/ethlog/json/block_json.h"
#include "apps/ethlog/json/json_body.h"
#include "apps/ethlog/json/json_header.h"
#include "apps/ethlog/json/json_members.h"
#include "apps/ethlog/model/receipts.h"
#include "apps/ethlog/model/rlp.h"

namespace bloomery::ethlog {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostDepth = 32;

Result<Log> log_from_json(const Json& json) {
  if (!json.is_object()) return bad_member("logs", "a list of objects", json);
  Members members{json};
  std::optional<Address> address;
  std::optional<std::vector<std::byte>> data;
  if (!members.fixed("address", address) || !members.bytes("data", data)) return members.error();
  const Json* topics = member(json, "topics");
  if (!address) return members.missing("address"), members.error();
  if (topics == nullptr || !topics->is_array() || topics->size() > TopicList::kMost)
    return bad_member("topics", "a list of at most four topics", topics ? *topics : Json{});
  Log log;
  log.address = *address;
  for (const Json& text : *topics) {
    const auto topic =
        text.is_string() ? Topic::from_hex(text.get_ref<const std::string&>()) : std::nullopt;
    if (!topic) return bad_member("topics", "a list of texts of 32 bytes each", *topics);
    log.topics.push_back(*topic);
  }
  if (data) log.data = std::move(*data);
  return log;
}

// statusOrRoot as archives write it, or root or status as nodes do. False: none is there.
Result<bool> read_outcome(const Json& json, Receipt& receipt) {
  Members members{json};
  std::optional<std::vector<std::byte>> either;
  std::optional<std::uint64_t> status;
  if (!members.bytes("statusOrRoot", either) || !members.fixed("root", receipt.state_root) ||
      !members.number("status", status))
    return members.error();
  if (receipt.state_root) return true;
  if (status) {
    if (*status > 1) return bad_member("status", "0x0 or 0x1", *member(json, "status"));
    receipt.succeeded = *status == 1;
    return true;
  }
  if (!either) return false;
  if (either->size() == Hash::kSize) {
    receipt.state_root = Hash::from_bytes(*either);
    return true;
  }
  if (either->size() > 1 || (either->size() == 1 && std::to_integer<unsigned>((*either)[0]) > 1))
    return bad_member("statusOrRoot", "a state root, 0x01 or 0x", *member(json, "statusOrRoot"));
  receipt.succeeded = !either->empty() && (*either)[0] == std::byte{1};
  return true;
}

// What a node says of a receipt beyond the protocol: gas used and price, sender, contract. It
// cannot be recomputed without the state, so it is kept as it came.
std::string extra_members(const Json& json) {
  static constexpr std::string_view kOurs[] = {
      "blockHash",    "blockNumber",     "cumulativeGasUsed", "logs", "logsBloom", "root", "status",
      "statusOrRoot", "transactionHash", "transactionIndex",  "type"};
  Json extra = json;
  for (const std::string_view name : kOurs) extra.erase(std::string{name});
  return extra.empty() ? std::string{} : extra.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What Optimism hashes of a deposit, from its version 1 on.
Status read_further_items(const Json& json, Receipt& receipt) {
  constexpr std::uint8_t kOptimismDeposit = 0x7e;
  if (receipt.type != kOptimismDeposit) return ok();
  Members members{json};
  std::optional<std::uint64_t> nonce;
  std::optional<std::uint64_t> version;
  if (!members.number("depositNonce", nonce) || !members.number("depositReceiptVersion", version))
    return members.error();
  if (!nonce || !version) return ok();
  RlpWriter out;
  out.number(*nonce);
  out.number(*version);
  receipt.further_items = out.take();
  return ok();
}

struct ReceiptPlace {
  std::optional<Hash> block_hash;
  std::optional<std::uint64_t> block_number;
  std::optional<std::uint64_t> index;
};

Status check_place(const ReceiptPlace& place, const ImportedBlock& block, std::size_t index) {
  if (place.block_hash && *place.block_hash != block.header.hash)
    return Error{ErrorCode::kMalformed,
                 message("it says it belongs to the block ", place.block_hash->hex(), ", not to ",
                         block.header.hash.hex())};
  if (place.block_number && *place.block_number != block.header.number)
    return Error{ErrorCode::kMalformed,
                 message("it says it belongs to block ", *place.block_number)};
  if (place.index && *place.index != index)
    return Error{ErrorCode::kMalformed, message("it says its transactionIndex is ", *place.index,
                                                ": receipts must be whole and in order")};
  return ok();
}

Result<Receipt> receipt_from_json(const Json& json, ImportedBlock& block) {
  if (!json.is_object()) return bad_member("receipts", "a list of objects", json);
  Members members{json};
  Receipt receipt;
  ReceiptPlace place;
  std::optional<std::uint64_t> type;
  std::optional<std::uint64_t> gas;
  if (!members.number("type", type) || !members.number("cumulativeGasUsed", gas) ||
      !members.fixed("logsBloom", receipt.bloom) ||
      !members.fixed("transactionHash", receipt.transaction_hash) ||
      !members.fixed("blockHash", place.block_hash) ||
      !members.number("blockNumber", place.block_number) ||
      !members.number("transactionIndex", place.index))
    return members.error();
  if (type.value_or(0) > 0xff) return bad_member("type", "from 0 to 255", json["type"]);
  receipt.type = static_cast<std::uint8_t>(type.value_or(0));
  receipt.cumulative_gas_used = gas.value_or(0);
  if (const Status s = read_further_items(json, receipt); !s) return s.error();
  const Result<bool> outcome = read_outcome(json, receipt);
  if (!outcome) return outcome.error();
  if (!*outcome || !gas) block.receipts_complete = false;
  if (const Status s = check_place(place, block, block.receipts.size()); !s) return s.error();
  const Json* logs = member(json, "logs");
  if (logs == nullptr || !logs->is_array())
    return bad_member("logs", "a list of logs", logs ? *logs : Json{});
  receipt.logs.reserve(logs->size());
  for (const Json& one : *logs) {
    Result<Log> log = log_from_json(one);
    if (!log) return log.error();
    receipt.logs.push_back(std::move(*log));
  }
  receipt.extra_json = extra_members(json);
  return receipt;
}

Status read_stored_receipts(const Json& json, ImportedBlock& block) {
  Members members{json};
  std::optional<std::vector<std::byte>> stored;
  if (!members.bytes("receiptsStorageRlp", stored)) return members.error();
  if (!stored) return ok();
  Result<std::vector<Receipt>> receipts = decode_storage(*stored);
  if (!receipts) return receipts.error();
  block.receipts = std::move(*receipts);
  block.has_receipts = true;
  block.receipt_types_known = block.receipts.empty();
  return ok();
}

// Nodes of Polygon add a receipt for transfers from the first layer, which neither the receipts
// root nor the bloom of the header know. Searches must find its logs: then the header is none that
// could be verified, and has the bloom of all logs.
void admit_uncommitted_receipt(const Json& receipts, ImportedBlock& block) {
  if (block.header.rlp.empty() || receipts.empty() || block.receipts.back().logs.empty()) return;
  static const std::string zero = Address{}.hex();
  for (const char* name : {"from", "to"}) {
    const std::string* text = text_member(receipts.back(), name);
    if (text == nullptr || *text != zero) return;
  }
  const auto committed = std::span{block.receipts}.first(block.receipts.size() - 1);
  if (receipts_root_of(committed) != block.header.receipts_root) return;
  std::string members;
  append_header_json(members, block.header);
  Json kept = block.header_json.empty() ? Json::object() : Json::parse(block.header_json);
  const Json of_header = Json::parse(members);
  for (const auto& [name, value] : of_header.items())
    if (!value.is_null()) kept[name] = value;
  block.header_json = compact(kept);
  block.header.rlp.clear();
  block.header.bloom = bloom_of(block.receipts);
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMostDepth)
        return Error{ErrorCode::kTooLarge,
                     message("JSON is nested deeper than ", kMostDepth, " levels")};
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& failed) {
    const auto* parsing = dynamic_cast<const Json::parse_error*>(&failed);
    return Error{ErrorCode::kMalformed,
                 parsing != nullptr
                     ? message("it is not JSON: syntax error at byte ", parsing->byte)
                     : std::string{"it is not JSON: a number is out of range"}};
  }
}

Status add_receipts(ImportedBlock& block, const Json& receipts) {
  if (!receipts.is_array()) return bad_member("receipts", "a list of receipts", receipts);
  const bool complete_before = block.receipts_complete;
  block.receipts.clear();
  block.receipts.reserve(receipts.size());
  for (const Json& json : receipts) {
    Result<Receipt> receipt = receipt_from_json(json, block);
    if (!receipt) {
      const std::size_t index = block.receipts.size();
      block.receipts.clear();  // half of them are none: the block may still be taken without
      block.has_receipts = false;
      block.receipts_complete = complete_before;
      return Error{receipt.error().code, message("block ", block.header.number, ", receipt ", index,
                                                 ": ", receipt.error().message)};
    }
    block.receipts.push_back(std::move(*receipt));
  }
  block.has_receipts = true;
  admit_uncommitted_receipt(receipts, block);
  return ok();
}

Result<ImportedBlock> block_from_json(const Json& json) {
  ImportedBlock block;
  if (const Status s = read_header(json, block); !s) return s.error();
  std::optional<std::vector<std::byte>> body;
  if (Members members{json}; !members.bytes("bodyRlp", body)) return members.error();
  if (body) block.body_rlp = std::move(*body);
  if (const Status s = read_body(json, block); !s) return s.error();
  if (const Status s = read_stored_receipts(json, block); !s) return s.error();
  if (const Json* receipts = member(json, "receipts"); receipts != nullptr)
    if (const Status s = add_receipts(block, *receipts); !s) return s.error();
  return block;
}

}  // namespace bloomery::ethlog
