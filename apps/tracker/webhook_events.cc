#include "apps/tracker/webhook_events.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

using nlohmann::json;

Error malformed(std::string_view what) {
  return {ErrorCode::kMalformed, message("an event notification: ", what)};
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// As in a query: '+' is a blank, and a byte may be % and two digits.
std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = digit_of(text[i + 1]);
    const int low = digit_of(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return plain;
}

const std::string* text_in(const json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

const json& member(const json& object, const char* name) {
  static const json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

// MinIO says "s3:ObjectAccessed:Get", AWS leaves the first part out. Who only reads changes
// nothing; any other name, also one of tomorrow, is taken for a change.
bool is_change(std::string_view event) {
  if (event.starts_with("s3:")) event.remove_prefix(3);
  return !event.starts_with("ObjectAccessed:") && event != "TestEvent";
}

Result<std::optional<ObjectChange>> change_in(const json& record) {
  const std::string* event = text_in(record, "eventName");
  if (event == nullptr) return malformed("a record has no eventName");
  if (!is_change(*event)) return std::optional<ObjectChange>{};
  const json& content = member(record, "s3");
  const std::string* bucket = text_in(member(content, "bucket"), "name");
  if (bucket == nullptr || bucket->empty()) return malformed("a record names no bucket");
  ObjectChange change{.bucket = *bucket, .key = {}};
  const std::string* key = text_in(member(content, "object"), "key");
  if (key == nullptr) return std::optional{change};
  auto plain = unescaped(*key);
  if (!plain) return malformed("the key of an object is not encoded as in a URL");
  change.key = std::move(*plain);
  return std::optional{change};
}

// MinIO's own words around the records, alone: its key is "bucket/object", and not encoded.
Result<std::vector<ObjectChange>> change_around(const json& event) {
  if (const std::string* test = text_in(event, "Event"); test != nullptr && !is_change(*test))
    return std::vector<ObjectChange>{};
  const std::string* name = text_in(event, "EventName");
  const std::string* key = text_in(event, "Key");
  if (name == nullptr || key == nullptr || key->empty())
    return malformed("it has neither Records nor EventName and Key");
  if (!is_change(*name)) return std::vector<ObjectChange>{};
  const std::size_t slash = key->find('/');
  ObjectChange change{.bucket = key->substr(0, slash), .key = {}};
  if (change.bucket.empty()) return malformed("its Key names no bucket");
  if (slash != std::string::npos) change.key = key->substr(slash + 1);
  return std::vector{change};
}

}  // namespace

Result<std::vector<ObjectChange>> decode_object_events(std::string_view text) {
  const json event = json::parse(text, nullptr, false);
  if (event.is_discarded()) return malformed("it is no JSON");
  if (!event.is_object()) return malformed("it is no JSON object");
  const json& records = member(event, "Records");
  if (records.is_null() || (records.is_array() && records.empty())) return change_around(event);
  if (!records.is_array()) return malformed("its Records are no list");
  std::vector<ObjectChange> changes;
  for (const json& record : records) {
    auto change = change_in(record);
    if (!change) return change.error();
    if (*change) changes.push_back(std::move(**change));
  }
  return changes;
}

}  // namespace bloomery::tracker
