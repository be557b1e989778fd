#include "apps/ethlog/json/criteria.h"

#include <algorithm>

#include "apps/ethlog/json/rpc_json.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

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

// Of any length. A wrong digit is reported before an odd number of digits.
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

bool is_null(std::string_view value) { return json_kind(value) == JsonKind::kNull; }
bool is_string(std::string_view value) { return json_kind(value) == JsonKind::kString; }
bool is_array(std::string_view value) { return json_kind(value) == JsonKind::kArray; }

Error in_block_hash(std::string_view why) {
  return refused(message("json: cannot unmarshal ", why,
                         " into Go struct field input.blockHash of type common.Hash"));
}

Result<std::optional<Hash>> block_hash_from(std::string_view value) {
  if (is_null(value)) return std::optional<Hash>{};
  if (!is_string(value)) return in_block_hash("non-string");
  const std::string text = json_text(value);
  if (!text.empty() && !has_prefix(text)) return in_block_hash("hex string without 0x prefix");
  if (text.size() % 2 != 0) return in_block_hash("hex string of odd length");
  const std::size_t digits = text.empty() ? 0 : text.size() - 2;
  if (digits != 2 * Hash::kSize)
    return refused(message("hex string has length ", digits, ", want 64 for common.Hash"));
  const auto hash = Hash::from_hex(text);
  if (!hash) return in_block_hash("invalid hex string");
  return std::optional{*hash};
}

Result<std::optional<BlockBound>> bound_from(std::string_view value) {
  if (is_null(value)) return std::optional<BlockBound>{};
  const auto bound = is_string(value) ? parse_block_bound(json_text(value))
                                      : Result<BlockBound>{refused("hex string without 0x prefix")};
  if (!bound) return bound.error();
  return std::optional{*bound};
}

Status read_addresses(std::string_view value, std::vector<Address>& addresses) {
  if (is_null(value)) return ok();
  if (is_string(value)) {
    const auto address = fixed_from<Address>(json_text(value), "address");
    if (!address) return refused("invalid address: " + address.error().message);
    addresses.push_back(*address);
    return ok();
  }
  if (!is_array(value)) return refused("invalid addresses in query");
  std::size_t index = 0;
  Status outcome = ok();
  visit_json_items(value, [&](std::string_view item) {
    if (!is_string(item)) {
      outcome = refused(message("non-string address at index ", index));
      return false;
    }
    const auto address = fixed_from<Address>(json_text(item), "address");
    if (address)
      addresses.push_back(*address);
    else
      outcome = refused(message("invalid address at index ", index, ": ", address.error().message));
    ++index;
    return address.has_value();
  });
  return outcome;
}

Result<std::vector<Topic>> choices_from(std::string_view value) {
  std::vector<Topic> choices;
  if (is_null(value)) return choices;
  if (!is_array(value) && !is_string(value)) return refused("invalid topic(s)");
  const std::vector<std::string_view> items =
      is_array(value) ? json_items(value, kMostChoices + 1) : std::vector<std::string_view>{value};
  if (items.size() > kMostChoices) return refused("exceed max topics");
  for (const std::string_view item : items) {
    if (is_null(item)) return std::vector<Topic>{};  // any topic: the items after it do not count
    if (!is_string(item)) return refused("invalid topic(s)");
    const auto topic = fixed_from<Topic>(json_text(item), "topic");
    if (!topic) return topic.error();
    choices.push_back(*topic);
  }
  return choices;
}

Status read_topics(std::string_view value, std::vector<std::vector<Topic>>& topics) {
  if (is_null(value)) return ok();
  const auto positions = json_items(value, kMostTopics + 1);
  if (positions.size() > kMostTopics) return refused("exceed max topics");
  for (const std::string_view position : positions) {
    auto choices = choices_from(position);
    if (!choices) return choices.error();
    topics.push_back(std::move(*choices));
  }
  return ok();
}

bool same_name(std::string_view name, std::string_view wanted) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return name.size() == wanted.size() &&
         std::equal(name.begin(), name.end(), wanted.begin(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

// Members that are read after all others.
struct RawCriteria {
  std::string_view addresses = "null";
  std::string_view topics = "null";
  std::optional<Error> wrong_type;  // reported only if no other member is wrong
};

Status read_member(std::string_view name, std::string_view value, LogQuery& query,
                   RawCriteria& raw) {
  if (same_name(name, "blockHash")) {
    const auto hash = block_hash_from(value);
    if (!hash) return hash.error();
    query.block_hash = *hash;
  } else if (same_name(name, "fromBlock") || same_name(name, "toBlock")) {
    const auto bound = bound_from(value);
    if (!bound) return bound.error();
    (same_name(name, "toBlock") ? query.to : query.from) = *bound;
  } else if (same_name(name, "address")) {
    raw.addresses = value;
  } else if (same_name(name, "topics")) {
    if (is_array(value) || is_null(value))
      raw.topics = value;
    else if (!raw.wrong_type)
      raw.wrong_type =
          refused(message("json: cannot unmarshal ", json_kind_name(value),
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
  if (!is_json(text)) return refused("the filter object is not JSON");
  return criteria_from(text);
}

// Errors come in the order of the members, and the last of equal members counts.
Result<LogQuery> criteria_from(std::string_view text) {
  LogQuery query;
  if (is_null(text)) return query;
  if (json_kind(text) != JsonKind::kObject)
    return refused(message("json: cannot unmarshal ", json_kind_name(text),
                           " into Go value of type filters.input"));
  RawCriteria raw;
  Status read = ok();
  visit_json_members(text, [&](const std::string& name, std::string_view value) {
    if (read) read = read_member(name, value, query, raw);
  });
  if (!read) return read.error();
  if (raw.wrong_type) return *raw.wrong_type;
  if (query.block_hash && (query.from || query.to))
    return refused("cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other");
  if (Status s = read_addresses(raw.addresses, query.addresses); !s) return s.error();
  if (Status s = read_topics(raw.topics, query.topics); !s) return s.error();
  return query;
}

}  // namespace bloomery::ethlog
