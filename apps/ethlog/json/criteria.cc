#include "apps/ethlog/json/criteria.h"

#include <nlohmann/json.hpp>

#include "apps/ethlog/json/json_block.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;

constexpr std::size_t kMostTopics = 4;
constexpr std::size_t kMostChoices = 1000;

Error refused(std::string text) { return {ErrorCode::kInvalidArgument, std::move(text)}; }

std::optional<unsigned> digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

bool has_prefix(std::string_view text) { return text.starts_with("0x") || text.starts_with("0X"); }

bool all_digits(std::string_view text) {
  for (const char c : text)
    if (!digit_of(c)) return false;
  return true;
}

// Of any length. A wrong digit comes before an odd number of them.
Result<std::vector<std::byte>> data_from(std::string_view text) {
  if (text.empty()) return refused("empty hex string");
  if (!has_prefix(text)) return refused("hex string without 0x prefix");
  if (!all_digits(text.substr(2))) return refused("invalid hex string");
  if (text.size() % 2 != 0) return refused("hex string of odd length");
  return *bytes_from_hex(text);
}

template <class T>
Result<T> fixed_from(std::string_view text, std::string_view what) {
  const auto bytes = data_from(text);
  if (!bytes) return bytes.error();
  if (bytes->size() != T::kSize)
    return refused(message("hex has invalid length ", bytes->size(), " after decoding; expected ",
                           T::kSize, " for ", what));
  return T::from_bytes(*bytes);
}

std::string_view kind_of(const json& value) {
  if (value.is_string()) return "string";
  if (value.is_number()) return "number";
  if (value.is_boolean()) return "bool";
  return value.is_array() ? "array" : "object";
}

Error in_block_hash(std::string_view why) {
  return refused(message("json: cannot unmarshal ", why,
                         " into Go struct field input.blockHash of type common.Hash"));
}

Result<std::optional<Hash>> block_hash_from(const json& value) {
  if (value.is_null()) return std::optional<Hash>{};
  if (!value.is_string()) return in_block_hash("non-string");
  const auto& text = value.get_ref<const std::string&>();
  if (!text.empty() && !has_prefix(text)) return in_block_hash("hex string without 0x prefix");
  if (text.size() % 2 != 0) return in_block_hash("hex string of odd length");
  const std::size_t digits = text.empty() ? 0 : text.size() - 2;
  if (digits != 2 * Hash::kSize)
    return refused(message("hex string has length ", digits, ", want 64 for common.Hash"));
  const auto hash = Hash::from_hex(text);
  if (!hash) return in_block_hash("invalid hex string");
  return std::optional{*hash};
}

Result<std::optional<BlockBound>> bound_from(const json& value) {
  if (value.is_null()) return std::optional<BlockBound>{};
  const auto bound = value.is_string()
                         ? parse_block_bound(value.get_ref<const std::string&>())
                         : Result<BlockBound>{refused("hex string without 0x prefix")};
  if (!bound) return bound.error();
  return std::optional{*bound};
}

Status read_addresses(const json& value, std::vector<Address>& addresses) {
  if (value.is_null()) return ok();
  if (value.is_string()) {
    const auto address = fixed_from<Address>(value.get_ref<const std::string&>(), "address");
    if (!address) return refused("invalid address: " + address.error().message);
    addresses.push_back(*address);
    return ok();
  }
  if (!value.is_array()) return refused("invalid addresses in query");
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_string()) return refused(message("non-string address at index ", i));
    const auto address = fixed_from<Address>(value[i].get_ref<const std::string&>(), "address");
    if (!address)
      return refused(message("invalid address at index ", i, ": ", address.error().message));
    addresses.push_back(*address);
  }
  return ok();
}

Result<std::vector<Topic>> choices_from(const json& value) {
  std::vector<Topic> choices;
  if (value.is_null()) return choices;
  const bool list = value.is_array();
  if (!list && !value.is_string()) return refused("invalid topic(s)");
  if (list && value.size() > kMostChoices) return refused("exceed max topics");
  for (const json& item : list ? value : json::array({value})) {
    if (item.is_null()) return std::vector<Topic>{};  // what follows is not looked at
    if (!item.is_string()) return refused("invalid topic(s)");
    const auto topic = fixed_from<Topic>(item.get_ref<const std::string&>(), "topic");
    if (!topic) return topic.error();
    choices.push_back(*topic);
  }
  return choices;
}

Status read_topics(const json& value, std::vector<std::vector<Topic>>& topics) {
  if (value.is_null()) return ok();
  if (value.size() > kMostTopics) return refused("exceed max topics");
  for (const json& position : value) {
    auto choices = choices_from(position);
    if (!choices) return choices.error();
    topics.push_back(std::move(*choices));
  }
  return ok();
}

// The members in the order of the text, since errors come in that order and the last of equal
// members counts.
std::vector<std::pair<std::string, json>> members_of(std::string_view text) {
  std::vector<std::pair<std::string, json>> members;
  const auto note = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth != 1) return true;
    if (event == json::parse_event_t::key)
      members.emplace_back(parsed.get<std::string>(), json{});
    else if (event == json::parse_event_t::value || event == json::parse_event_t::array_end ||
             event == json::parse_event_t::object_end)
      members.back().second = std::move(parsed);
    return true;
  };
  const json whole = json::parse(text, note, false);
  static_cast<void>(whole);
  return members;
}

bool same_name(std::string_view name, std::string_view wanted) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return name.size() == wanted.size() &&
         std::equal(name.begin(), name.end(), wanted.begin(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

struct RawCriteria {
  json addresses;
  json topics;
  std::optional<Error> wrong_type;  // told only if nothing worse follows
};

Status read_member(const std::string& name, json value, LogQuery& query, RawCriteria& raw) {
  if (same_name(name, "blockHash")) {
    const auto hash = block_hash_from(value);
    if (!hash) return hash.error();
    query.block_hash = *hash;
  } else if (same_name(name, "fromBlock") || same_name(name, "toBlock")) {
    const auto bound = bound_from(value);
    if (!bound) return bound.error();
    (same_name(name, "toBlock") ? query.to : query.from) = *bound;
  } else if (same_name(name, "address")) {
    raw.addresses = std::move(value);
  } else if (same_name(name, "topics")) {
    if (value.is_array() || value.is_null())
      raw.topics = std::move(value);
    else if (!raw.wrong_type)
      raw.wrong_type =
          refused(message("json: cannot unmarshal ", kind_of(value),
                          " into Go struct field input.topics of type []interface {}"));
  }
  return ok();
}

}  // namespace

Result<BlockBound> parse_block_bound(std::string_view text) {
  constexpr std::pair<std::string_view, BlockTag> kTags[] = {{"earliest", BlockTag::kEarliest},
                                                             {"safe", BlockTag::kSafe},
                                                             {"finalized", BlockTag::kFinalized},
                                                             {"latest", BlockTag::kLatest},
                                                             {"pending", BlockTag::kPending}};
  for (const auto& [name, tag] : kTags)
    if (text == name) return BlockBound{tag, 0};
  if (text.empty()) return refused("empty hex string");
  if (!has_prefix(text)) return refused("hex string without 0x prefix");
  const std::string_view digits = text.substr(2);
  if (digits.empty()) return refused("hex string \"0x\"");
  if (digits.size() > 1 && digits[0] == '0') return refused("hex number with leading zero digits");
  std::uint64_t number = 0;
  for (const char c : digits) {
    const auto digit = digit_of(c);
    if (!digit) return refused("invalid hex string");
    if (number >> 60 != 0) return refused("hex number > 64 bits");
    number = number << 4 | *digit;
  }
  if (number >> 63 != 0) return refused("block number larger than int64");
  return BlockBound{BlockTag::kNumber, number};
}

Result<LogQuery> parse_criteria(std::string_view text) {
  auto whole = parse_json(text);
  if (!whole) return whole.error();
  LogQuery query;
  if (whole->is_null()) return query;
  if (!whole->is_object())
    return refused(message("json: cannot unmarshal ", kind_of(*whole),
                           " into Go value of type filters.input"));
  *whole = nullptr;  // before it is built a second time
  RawCriteria raw;
  for (auto& [name, value] : members_of(text))
    if (Status s = read_member(name, std::move(value), query, raw); !s) return s.error();
  if (raw.wrong_type) return *raw.wrong_type;
  if (query.block_hash && (query.from || query.to))
    return refused("cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other");
  if (Status s = read_addresses(raw.addresses, query.addresses); !s) return s.error();
  if (Status s = read_topics(raw.topics, query.topics); !s) return s.error();
  return query;
}

}  // namespace bloomery::ethlog
