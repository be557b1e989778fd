#include "apps/ethlog/node/node_blocks.h"

#include <map>
#include <nlohmann/json.hpp>

#include "apps/ethlog/json/json_block.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using Json = nlohmann::json;

template <class... Parts>
Error wrong_answer(const Parts&... parts) {
  return {ErrorCode::kMalformed, message(parts...)};
}

const std::string* text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

std::optional<std::uint64_t> number_member(const Json& object, const char* name) {
  const std::string* text = text_member(object, name);
  return text == nullptr ? std::nullopt : number_from_quantity(*text);
}

std::optional<Hash> hash_member(const Json& object, const char* name) {
  const std::string* text = text_member(object, name);
  return text == nullptr ? std::nullopt : Hash::from_hex(*text);
}

std::size_t transactions_in(const ImportedBlock& block) { return block.transaction_hashes.size(); }

Status check_count(const ImportedBlock& block, std::size_t receipts) {
  if (receipts == transactions_in(block)) return ok();
  return wrong_answer("block ", block.header.number, " has ", transactions_in(block),
                      " transactions, but the node gave ", receipts, " receipts");
}

// One log of eth_getLogs, and where it belongs.
struct PlacedLog {
  std::uint64_t block;
  Hash hash;
  std::uint64_t transaction;
  std::uint64_t index;
};

Result<PlacedLog> place_of(const Json& log) {
  if (!log.is_object()) return wrong_answer("a log of eth_getLogs is no object");
  const auto number = number_member(log, "blockNumber");
  const auto hash = hash_member(log, "blockHash");
  const auto transaction = number_member(log, "transactionIndex");
  const auto index = number_member(log, "logIndex");
  if (!number || !hash || !transaction || !index)
    return wrong_answer(
        "a log of eth_getLogs should have blockNumber, blockHash, transactionIndex and logIndex");
  return PlacedLog{*number, *hash, *transaction, *index};
}

// The receipts of one block, which have nothing but their logs.
class LogReceipts {
 public:
  explicit LogReceipts(ImportedBlock& block) : block_{block} {
    for (const Hash& hash : block.transaction_hashes)
      receipts_.push_back({{"transactionHash", hash.hex()}, {"logs", Json::array()}});
  }
  Status add(const PlacedLog& place, Json log) {
    if (place.hash != block_.header.hash)
      return wrong_answer("a log of block ", place.block, " belongs to ", place.hash.hex(),
                          ", but the block is ", block_.header.hash.hex());
    if (place.transaction >= receipts_.size())
      return wrong_answer("block ", place.block, " has ", receipts_.size(),
                          " transactions, but a log of transaction ", place.transaction);
    if (place.index != logs_ || place.transaction < last_)
      return wrong_answer("the logs of block ", place.block, " are not whole and in order: log ",
                          place.index, " came as the one of place ", logs_);
    logs_ += 1;
    last_ = place.transaction;
    receipts_[place.transaction]["logs"].push_back(std::move(log));
    return ok();
  }
  Status finish() {
    if (const Status added = add_receipts(block_, receipts_); !added) return added;
    block_.receipts_complete = false;
    block_.receipt_types_known = block_.receipts.empty();
    return ok();
  }

 private:
  ImportedBlock& block_;
  Json receipts_ = Json::array();
  std::uint64_t logs_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace

Result<std::uint64_t> quantity_in(std::string_view json) {
  const auto value = parse_json(json);
  if (!value) return value.error();
  const auto* text = value->get_ptr<const std::string*>();
  const auto number = text == nullptr ? std::nullopt : number_from_quantity(*text);
  if (!number) return wrong_answer("a number such as \"0x1b4\" was expected");
  return *number;
}

Result<std::optional<NodeBlockId>> block_id_in(std::string_view json) {
  const auto value = parse_json(json);
  if (!value) return value.error();
  if (value->is_null()) return std::optional<NodeBlockId>{};
  if (!value->is_object()) return wrong_answer("a block should be an object");
  const auto number = number_member(*value, "number");
  const auto hash = hash_member(*value, "hash");
  const auto parent = hash_member(*value, "parentHash");
  if (!number || !hash || !parent)
    return wrong_answer("a block should have the members number, hash and parentHash");
  return std::optional{NodeBlockId{{*number, *hash}, *parent}};
}

Result<std::optional<ImportedBlock>> node_block_in(std::string_view json, std::uint64_t number) {
  const auto value = parse_json(json);
  if (!value) return value.error();
  if (value->is_null()) return std::optional<ImportedBlock>{};
  if (!value->is_object()) return wrong_answer("block ", number, " is no object");
  if (const auto given = number_member(*value, "number"); given != number)
    return wrong_answer("block ", number, " was asked for, but the node gave ",
                        given ? message("block ", *given) : std::string{"one without a number"});
  if (!hash_member(*value, "hash") || !hash_member(*value, "parentHash"))
    return wrong_answer("block ", number, " should have the members hash and parentHash");
  const auto transactions = value->find("transactions");
  if (transactions == value->end() || !transactions->is_array())
    return wrong_answer("block ", number, " should have a list of transactions");
  auto block = block_from_json(*value);
  if (!block) return wrong_answer("block ", number, ": ", block.error().message);
  if (block->transaction_hashes.size() != transactions->size())
    return wrong_answer("block ", number, ": a transaction has no hash");
  return std::optional{std::move(*block)};
}

Status add_block_receipts(ImportedBlock& block, std::string_view json) {
  const auto value = parse_json(json);
  if (!value) return value.error();
  if (!value->is_array())
    return wrong_answer("the node has no receipts of block ", block.header.number);
  if (const Status counted = check_count(block, value->size()); !counted) return counted;
  return add_receipts(block, *value);
}

Status add_transaction_receipts(ImportedBlock& block, const std::vector<std::string>& jsons) {
  if (const Status counted = check_count(block, jsons.size()); !counted) return counted;
  Json list = Json::array();
  for (std::size_t i = 0; i < jsons.size(); ++i) {
    auto value = parse_json(jsons[i]);
    if (!value) return value.error();
    if (!value->is_object() ||
        hash_member(*value, "transactionHash") != block.transaction_hashes[i])
      return wrong_answer("block ", block.header.number,
                          ": the node has no receipt of transaction ",
                          block.transaction_hashes[i].hex());
    list.push_back(std::move(*value));
  }
  return add_receipts(block, list);
}

Status add_logs(std::vector<ImportedBlock>& blocks, const std::vector<std::string>& lists) {
  std::vector<LogReceipts> receipts;
  receipts.reserve(blocks.size());
  std::map<std::uint64_t, std::size_t> places;
  for (ImportedBlock& block : blocks) {
    places.emplace(block.header.number, receipts.size());
    receipts.emplace_back(block);
  }
  for (const std::string& list : lists) {
    auto logs = parse_json(list);
    if (!logs) return logs.error();
    if (!logs->is_array()) return wrong_answer("eth_getLogs should give a list");
    for (Json& log : *logs) {
      const auto place = place_of(log);
      if (!place) return place.error();
      const auto at = places.find(place->block);
      if (at == places.end())
        return wrong_answer("a log of block ", place->block, " came, which was not asked for");
      if (const Status added = receipts[at->second].add(*place, std::move(log)); !added)
        return added;
    }
  }
  for (LogReceipts& one : receipts)
    if (const Status finished = one.finish(); !finished) return finished;
  return ok();
}

}  // namespace bloomery::ethlog
