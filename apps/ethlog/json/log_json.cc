#include "apps/ethlog/json/log_json.h"

#include "apps/ethlog/json/rpc_json.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

void append_data(std::string& out, std::string_view before, ByteView bytes) {
  out += before;
  append_hex(out, bytes);
  out += '"';
}

void append_quantity(std::string& out, std::string_view before, std::uint64_t value) {
  out += before;
  out += to_quantity(value);
  out += '"';
}

struct PlaceOfLog {
  std::uint64_t block_number;
  const Hash& block_hash;
  std::optional<std::uint64_t> timestamp;
  const std::optional<Hash>& transaction_hash;
  std::uint64_t transaction_index;
  std::uint64_t log_index;
};

void append_placed(std::string& out, const Log& log, const PlaceOfLog& place, LogFate fate) {
  append_data(out, "{\"address\":\"", log.address.view());
  out += ",\"topics\":[";
  for (const Topic& topic : log.topics)
    append_data(out, &topic == log.topics.begin() ? "\"" : ",\"", topic.view());
  append_data(out, "],\"data\":\"", log.data);
  append_quantity(out, ",\"blockNumber\":\"", place.block_number);
  if (place.transaction_hash)
    append_data(out, ",\"transactionHash\":\"", place.transaction_hash->view());
  else  // its block came without, and none is made up
    out += ",\"transactionHash\":null";
  append_quantity(out, ",\"transactionIndex\":\"", place.transaction_index);
  append_data(out, ",\"blockHash\":\"", place.block_hash.view());
  if (place.timestamp) append_quantity(out, ",\"blockTimestamp\":\"", *place.timestamp);
  append_quantity(out, ",\"logIndex\":\"", place.log_index);
  out += fate == LogFate::kRemoved ? ",\"removed\":true}" : ",\"removed\":false}";
}

// The members of a log, each read where it is met; of equal names the last counts.
struct LogMembers {
  LogRecord record = {};
  bool has_address = false;
  bool has_topics = false;
  bool has_data = false;
  bool has_number = false;
  bool has_hash = false;
  bool has_index = false;
};

template <class T>
bool read_fixed(std::string_view value, T& out) {
  if (json_kind(value) != JsonKind::kString) return false;
  const auto read = T::from_hex(json_text(value));
  if (read) out = *read;
  return read.has_value();
}

bool read_number(std::string_view value, std::uint64_t& out) {
  if (json_kind(value) != JsonKind::kString) return false;
  const auto read = number_from_quantity(json_text(value));
  if (read) out = *read;
  return read.has_value();
}

bool read_topic_list(std::string_view value, TopicList& topics) {
  if (json_kind(value) != JsonKind::kArray) return false;
  const auto items = json_items(value, TopicList::kMost + 1);
  if (items.size() > TopicList::kMost) return false;
  topics = {};
  for (const std::string_view item : items) {
    Topic topic;
    if (!read_fixed(item, topic)) return false;
    topics.push_back(topic);
  }
  return true;
}

bool read_data(std::string_view value, std::vector<std::byte>& data) {
  if (json_kind(value) != JsonKind::kString) return false;
  auto bytes = bytes_from_hex(json_text(value));
  if (bytes) data = std::move(*bytes);
  return bytes.has_value();
}

bool read_log_member(std::string_view name, std::string_view value, LogMembers& out) {
  LogRecord& record = out.record;
  const bool is_null = json_kind(value) == JsonKind::kNull;
  if (name == "address") return out.has_address = read_fixed(value, record.log.address);
  if (name == "topics") return out.has_topics = read_topic_list(value, record.log.topics);
  if (name == "data") return out.has_data = read_data(value, record.log.data);
  if (name == "blockNumber") return out.has_number = read_number(value, record.block_number);
  if (name == "blockHash") return out.has_hash = read_fixed(value, record.block_hash);
  if (name == "logIndex") return out.has_index = read_number(value, record.log_index);
  if (name == "transactionIndex") return is_null || read_number(value, record.transaction_index);
  if (name == "transactionHash")
    return is_null || read_fixed(value, record.transaction_hash.emplace());
  if (name == "blockTimestamp") return is_null || read_number(value, record.timestamp.emplace());
  if (name == "removed") {
    record.removed = json_trimmed(value) == "true";
    return is_null || json_kind(value) == JsonKind::kBool;
  }
  return true;
}

}  // namespace

void append_log_json(std::string& out, const FoundLog& found, LogFate fate) {
  const Header& header = found.block.header;
  append_placed(out, found.log,
                {header.number, header.hash, header.timestamp,
                 found.block.receipts[found.transaction].transaction_hash, found.transaction,
                 found.log_index},
                fate);
}

void append_log_json(std::string& out, const LogRecord& record) {
  append_placed(out, record.log,
                {record.block_number, record.block_hash, record.timestamp, record.transaction_hash,
                 record.transaction_index, record.log_index},
                record.removed ? LogFate::kRemoved : LogFate::kMined);
}

Result<LogRecord> log_record_from(std::string_view json) {
  LogMembers members;
  const auto malformed_log = [](std::string sentence) {
    return Error{ErrorCode::kMalformed, std::move(sentence)};
  };
  if (json_kind(json) != JsonKind::kObject) return malformed_log("a log is an object");
  std::string wrong;
  visit_json_members(json, [&](const std::string& name, std::string_view value) {
    if (wrong.empty() && !read_log_member(name, value, members)) wrong = name;
  });
  if (!wrong.empty()) return malformed_log(message("the member ", wrong, " of a log is malformed"));
  for (const auto& [there, name] : {std::pair{members.has_address, "address"},
                                    {members.has_topics, "topics"},
                                    {members.has_data, "data"},
                                    {members.has_number, "blockNumber"},
                                    {members.has_hash, "blockHash"},
                                    {members.has_index, "logIndex"}})
    if (!there) return malformed_log(message("a log has no member ", name));
  return std::move(members.record);
}

}  // namespace bloomery::ethlog
