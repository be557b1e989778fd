#include "apps/ethlog/serve/rpc_arguments.h"

#include <algorithm>
#include <charconv>

#include "apps/ethlog/json/rpc_json.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kMostArguments = 8;  // no method takes so many

Error refused(std::string text) { return {ErrorCode::kInvalidArgument, std::move(text)}; }

Error not_a(std::string_view why, std::string_view type) {
  return refused(message("json: cannot unmarshal ", why, " into Go value of type ", type));
}

// Of the text without its quotes; go-ethereum does not look for them either.
Result<BlockBound> bound_from(std::string_view value) {
  std::string_view text = json_trimmed(value);
  if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
  return parse_block_bound(text);
}

Result<Hash> hash_from(std::string_view value) {
  if (json_kind(value) != JsonKind::kString) return not_a("non-string", "common.Hash");
  const std::string text = json_text(value);
  if (!text.empty() && !text.starts_with("0x") && !text.starts_with("0X"))
    return not_a("hex string without 0x prefix", "common.Hash");
  if (text.size() % 2 != 0) return not_a("hex string of odd length", "common.Hash");
  const std::size_t digits = text.empty() ? 0 : text.size() - 2;
  if (digits != 2 * Hash::kSize)
    return refused(message("hex string has length ", digits, ", want 64 for common.Hash"));
  const auto hash = Hash::from_hex(text);
  if (!hash) return not_a("invalid hex string", "common.Hash");
  return *hash;
}

// hexutil.Uint64 of go-ethereum.
Result<std::uint64_t> quantity_from(std::string_view value) {
  if (json_kind(value) != JsonKind::kString) return not_a("non-string", "hexutil.Uint64");
  const auto number = number_from_quantity(json_text(value));
  if (!number) return not_a("invalid hex string", "hexutil.Uint64");
  return *number;
}

Result<BlockName> name_from(std::string_view value) {
  if (json_kind(value) == JsonKind::kObject) {
    std::optional<BlockName> name;
    std::vector<JsonMember> members;
    visit_json_members(value, [&](const std::string& member, std::string_view inner) {
      if ((member == "blockHash" || member == "blockNumber") && json_kind(inner) != JsonKind::kNull)
        members.emplace_back(member, inner);
    });
    for (const auto& [member, inner] : members) {
      const auto one = name_from(inner);
      if (!one) return one.error();
      if (std::holds_alternative<Hash>(*one) != (member == "blockHash"))
        return refused(message("a ", member, " was expected"));
      if (name)
        return refused("cannot specify both BlockHash and BlockNumber, choose one or the other");
      name = *one;
    }
    if (!name) return refused("neither a block number nor a block hash is given");
    return *name;
  }
  if (json_kind(value) == JsonKind::kString && json_text(value).size() == 2 + 2 * Hash::kSize) {
    const auto hash = hash_from(value);
    if (!hash) return hash.error();
    return BlockName{*hash};
  }
  const auto bound = bound_from(value);
  if (!bound) return bound.error();
  return BlockName{*bound};
}

// Whether there are more values than the text has room for if most are addresses or topics. Such a
// list is refused as one of too many addresses is, before a value is read.
bool has_too_many_values(std::string_view criteria) {
  constexpr std::size_t kMostShort = 8192;
  constexpr std::size_t kAddressBytes = 40;
  const auto commas = static_cast<std::size_t>(std::ranges::count(criteria, ','));
  return commas > kMostShort + criteria.size() / kAddressBytes;
}

}  // namespace

RpcArguments::RpcArguments(std::string_view params) {
  if (params.empty() || json_kind(params) == JsonKind::kNull) return;
  array_ = json_kind(params) == JsonKind::kArray;
  if (array_)
    items_ = json_items(params, kMostArguments);
  else
    error_ = invalid_params("non-array args");
}

const std::string_view* RpcArguments::take() {
  if (error_) return nullptr;
  if (next_ < items_.size()) return &items_[next_++];
  if (!missing_) missing_ = next_;
  return nullptr;
}

void RpcArguments::refuse(std::string_view why) {
  error_ = invalid_params(message("invalid argument ", next_ - 1, ": ", why));
}

LogQuery RpcArguments::criteria() {
  const std::string_view* value = take();
  if (value == nullptr) return {};
  if (has_too_many_values(*value)) {
    error_ = failed("exceed max addresses or topics per search position");
    return {};
  }
  auto query = criteria_from(*value);
  if (query) return std::move(*query);
  refuse(query.error().message);
  return {};
}

template <class Value>
Value RpcArguments::read(Result<Value> (*parse)(std::string_view)) {
  const std::string_view* value = take();
  if (value == nullptr) return {};
  const auto parsed = parse(*value);
  if (parsed) return *parsed;
  refuse(parsed.error().message);
  return {};
}

BlockBound RpcArguments::block_number() { return read(bound_from); }
BlockName RpcArguments::block_name() { return read(name_from); }
Hash RpcArguments::hash() { return read(hash_from); }

std::uint64_t RpcArguments::quantity() { return read(quantity_from); }

std::optional<std::string> RpcArguments::optional_text(std::string_view type) {
  if (error_ || next_ >= items_.size()) return std::nullopt;
  if (json_kind(items_[next_]) == JsonKind::kNull) {
    ++next_;
    return std::nullopt;
  }
  return text(type);
}

std::optional<std::uint64_t> RpcArguments::optional_quantity() {
  if (error_ || next_ >= items_.size()) return std::nullopt;
  const std::string_view value = json_trimmed(items_[next_]);
  if (json_kind(value) == JsonKind::kNull) {
    ++next_;
    return std::nullopt;
  }
  if (json_kind(value) != JsonKind::kNumber) return quantity();
  ++next_;
  std::uint64_t number = 0;
  const auto [end, trouble] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (trouble == std::errc{} && end == value.data() + value.size()) return number;
  refuse("a whole number was expected");
  return std::nullopt;
}

bool RpcArguments::flag() {
  const std::string_view* value = take();
  if (value == nullptr || json_kind(*value) == JsonKind::kNull) return false;
  if (json_kind(*value) == JsonKind::kBool) return json_trimmed(*value) == "true";
  refuse(not_a(json_kind_name(*value), "bool").message);
  return false;
}

std::string RpcArguments::text(std::string_view type) {
  const std::string_view* value = take();
  if (value == nullptr || json_kind(*value) == JsonKind::kNull) return {};
  if (json_kind(*value) == JsonKind::kString) return json_text(*value);
  refuse(not_a(json_kind_name(*value), type).message);
  return {};
}

std::optional<std::string> RpcArguments::subscription_name() {
  if (!array_) {
    error_ = invalid_params("non-array args");
  } else if (items_.empty() || json_kind(items_[0]) != JsonKind::kString) {
    error_ = invalid_params("expected subscription name as first argument");
  } else {
    ++next_;
    return json_text(items_[0]);
  }
  return std::nullopt;
}

const std::optional<RpcError>& RpcArguments::finish() {
  if (!error_ && next_ < items_.size())
    error_ = invalid_params(message("too many arguments, want at most ", next_));
  if (!error_ && missing_)
    error_ = invalid_params(message("missing value for required argument ", *missing_));
  return error_;
}

}  // namespace bloomery::ethlog
