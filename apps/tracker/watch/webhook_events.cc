#include "apps/tracker/watch/webhook_events.h"

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

using Changes = std::vector<ObjectChange>;

const std::string* bucket_in(const json& content) {
  const std::string* bucket = text_in(member(content, "bucket"), "name");
  return bucket == nullptr || bucket->empty() ? nullptr : bucket;
}

// A record of S3's own. Ceph does not encode the key: "c++" is its name, and not "c  ".
Status add_record(const json& record, Changes& changes) {
  const std::string* event = text_in(record, "eventName");
  if (event == nullptr) return malformed("a record has no eventName");
  if (!is_change(*event)) return ok();
  const json& content = member(record, "s3");
  const std::string* bucket = bucket_in(content);
  if (bucket == nullptr) return malformed("a record names no bucket");
  const std::string* key = text_in(member(content, "object"), "key");
  changes.push_back({.bucket = *bucket, .key = key == nullptr ? std::string{} : *key});
  if (key == nullptr) return ok();
  auto decoded = unescaped(*key);
  if (decoded && *decoded != *key)
    changes.push_back({.bucket = *bucket, .key = std::move(*decoded)});
  return ok();
}

// MinIO's own words around the records, alone: its key is "bucket/object", and not encoded.
Status add_around(const json& event, Changes& changes) {
  if (const std::string* test = text_in(event, "Event"); test != nullptr && !is_change(*test))
    return ok();
  const std::string* name = text_in(event, "EventName");
  const std::string* key = text_in(event, "Key");
  if (name == nullptr || key == nullptr || key->empty())
    return malformed("it has neither Records nor EventName and Key");
  if (!is_change(*name)) return ok();
  const std::size_t slash = key->find('/');
  ObjectChange change{.bucket = key->substr(0, slash), .key = {}};
  if (change.bucket.empty()) return malformed("its Key names no bucket");
  if (slash != std::string::npos) change.key = key->substr(slash + 1);
  changes.push_back(std::move(change));
  return ok();
}

// EventBridge has no word for an object that was only read. Its keys are not encoded.
Status add_event_bridge(const json& event, Changes& changes) {
  const json& detail = member(event, "detail");
  const std::string* bucket = bucket_in(detail);
  if (bucket == nullptr) return malformed("an event of EventBridge names no bucket");
  const std::string* key = text_in(member(detail, "object"), "key");
  changes.push_back({.bucket = *bucket, .key = key == nullptr ? std::string{} : *key});
  return ok();
}

Status add_plain(const json& event, Changes& changes) {
  if (!event.is_object()) return malformed("it is no JSON object");
  if (event.contains("detail-type")) return add_event_bridge(event, changes);
  const json& records = member(event, "Records");
  if (records.is_null() || (records.is_array() && records.empty()))
    return add_around(event, changes);
  if (!records.is_array()) return malformed("its Records are no list");
  for (const json& record : records)
    if (auto added = add_record(record, changes); !added) return added;
  return ok();
}

// For a line of a log: the text of any sender stays one line.
std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 2000;
  std::string plain{text.substr(0, kLongest)};
  for (char& c : plain)
    if (c < ' ' || c > '~') c = '?';
  return plain;
}

// Subscriptions are confirmed by a person: to fetch an address because a message says so would let
// its sender choose what this machine fetches.
std::string notice_of(const json& event, std::string_view type) {
  const std::string* topic = text_in(event, "TopicArn");
  const std::string name = topic == nullptr ? "without a name" : printable(*topic);
  if (type == "UnsubscribeConfirmation")
    return message("SNS ended the subscription of the topic ", name,
                   ": its changes are not seen any more");
  const std::string* url = text_in(event, "SubscribeURL");
  return message("SNS wants the subscription of the topic ", name,
                 " to be confirmed; if it is yours, open this address: ",
                 url == nullptr ? "none was given" : printable(*url));
}

}  // namespace

Result<ObjectNotification> decode_object_events(std::string_view text) {
  json event = json::parse(text, nullptr, false);
  if (event.is_discarded()) return malformed("it is no JSON");
  ObjectNotification notification;
  const std::string* type = text_in(event, "Type");
  if (type != nullptr &&
      (*type == "SubscriptionConfirmation" || *type == "UnsubscribeConfirmation")) {
    notification.notice = notice_of(event, *type);
    return notification;
  }
  if (type != nullptr && *type == "Notification") {
    const std::string* inner = text_in(event, "Message");
    if (inner == nullptr) return malformed("a notification of SNS has no Message");
    json content = json::parse(*inner, nullptr, false);
    if (content.is_discarded()) return malformed("the Message of SNS is no JSON");
    event = std::move(content);
  }
  // EventBridge sends one event, its pipes a list of them.
  if (!event.is_array()) {
    if (auto added = add_plain(event, notification.changes); !added) return added.error();
    return notification;
  }
  if (event.empty()) return malformed("it is an empty list");
  for (const json& one : event)
    if (auto added = add_plain(one, notification.changes); !added) return added.error();
  return notification;
}

}  // namespace bloomery::tracker
