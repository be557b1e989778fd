#include <algorithm>
#include <new>
#include <optional>

#include "apps/redis/bloom/commands.h"
#include "apps/redis/bloom/key.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/guard.h"
#include "apps/redis/server/names.h"
#include "apps/redis/server/numbers.h"
#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {
namespace {

using Keys = std::span<String* const>;

InsertResult insert_one(RedisBloomFilter& filter, ByteView key) {
  try {
    const auto added = filter.insert(key);
    if (added) return *added ? InsertResult::kNew : InsertResult::kKnown;
    return filter.grows() ? InsertResult::kFailed : InsertResult::kFull;
  } catch (const std::bad_alloc&) {
    return InsertResult::kFailed;
  }
}

// Where the newest layer takes them all, none can fail, and a batch hides the memory's latency.
bool fits_in_newest(const RedisBloomFilter& filter, std::size_t keys) {
  const RedisBloomLayer& newest = filter.layers().back();
  return newest.keys_inserted() < newest.goal_keys &&
         keys <= newest.goal_keys - newest.keys_inserted();
}

// All memory of an insertion but that of the filter: taken before anything changes.
struct Insertions {
  explicit Insertions(Keys words)
      : keys{words}, answers(words.size(), InsertResult::kFailed), is_new(words.size()) {
    bytes.reserve(words.size());
    for (const String* word : words) bytes.push_back(bytes_of(text_of(word)));
    added.reserve(words.size());
  }
  Keys keys;
  std::vector<InsertResult> answers;
  std::vector<ByteView> bytes;
  std::vector<std::uint8_t> is_new;
  std::vector<String*> added;  // for replicas
  std::string rate;            // of a filter that is made, for replicas
};

void insert_batch(RedisBloomFilter& filter, Insertions& all) {
  if (!filter.insert_batch(all.bytes, all.is_new)) return;
  for (std::size_t i = 0; i < all.keys.size(); ++i)
    all.answers[i] = all.is_new[i] != 0 ? InsertResult::kNew : InsertResult::kKnown;
}

// A full filter ends the answers; a failed growth does not, because a later key may be known. Where
// memory runs out before the first bit, all answers stay kFailed.
void insert_keys(RedisBloomFilter& filter, Insertions& all) noexcept {
  if (all.keys.size() > 1 && fits_in_newest(filter, all.keys.size())) {
    guard(false, [&] { return insert_batch(filter, all), true; });
    return;
  }
  for (std::size_t i = 0; i < all.keys.size(); ++i) {
    all.answers[i] = insert_one(filter, all.bytes[i]);
    if (all.answers[i] != InsertResult::kFull) continue;
    all.answers.resize(i + 1);
    return;
  }
}

// A filter made here is replicated with all its parameters: a replica's defaults may differ.
void replicate_creation(const CommandCall& call, const NewFilter& made, Insertions& all) {
  const char* command = replicated_command("BF.INSERT").c_str();
  const auto goal_keys = static_cast<long long>(made.goal.keys);
  if (made.expansion == 0)
    api.Replicate(call.context, command, "sclccccv", call.key_name(), "CAPACITY", goal_keys,
                  "ERROR", all.rate.c_str(), "NONSCALING", "ITEMS", all.added.data(),
                  all.added.size());
  else
    api.Replicate(call.context, command, "sclccclcv", call.key_name(), "CAPACITY", goal_keys,
                  "ERROR", all.rate.c_str(), "EXPANSION", static_cast<long long>(made.expansion),
                  "ITEMS", all.added.data(), all.added.size());
}

// Keys that did not fit into memory here must not be added on replicas.
void replicate(const CommandCall& call, const NewFilter* made, Insertions& all, bool refused) {
  if (made == nullptr && !refused) {
    api.ReplicateVerbatim(call.context);
    return;
  }
  for (std::size_t i = 0; i < all.answers.size(); ++i)
    if (all.answers[i] == InsertResult::kNew) all.added.push_back(all.keys[i]);
  if (made != nullptr)
    replicate_creation(call, *made, all);
  else
    api.Replicate(call.context, replicated_command("BF.MADD").c_str(), "sv", call.key_name(),
                  all.added.data(), all.added.size());
}

struct Inserted {
  std::vector<InsertResult> answers;
};

void replicate_reserve(const CommandCall& call, const NewFilter& made, const std::string& rate) {
  const char* command = replicated_command("BF.RESERVE").c_str();
  const auto goal_keys = static_cast<long long>(made.goal.keys);
  if (made.expansion == 0)
    api.Replicate(call.context, command, "sclc", call.key_name(), rate.c_str(), goal_keys,
                  "NONSCALING");
  else
    api.Replicate(call.context, command, "sclcl", call.key_name(), rate.c_str(), goal_keys,
                  "EXPANSION", static_cast<long long>(made.expansion));
}

// Replicates the change and notifies listeners.
void publish(const CommandCall& call, const NewFilter* made, bool inserted, Insertions& all,
             bool refused) {
  if (made != nullptr) notify_change(call, "bloom.reserve");
  if (made != nullptr && !inserted) replicate_reserve(call, *made, all.rate);
  if (!inserted) return;
  replicate(call, made, all, refused);
  notify_change(call, "bloom.add");
}

// `wanted` is null where the key must exist. Nothing that may throw stands between a change and its
// replication.
std::variant<Inserted, Refusal> insert(const CommandCall& call, const NewFilter* wanted,
                                       Keys keys) {
  Insertions all{keys};
  BloomKey key{call, kRead | kWrite};
  const bool created = key.missing();
  if (created && wanted == nullptr) return Refusal::kNotFound;
  if (!created && key.value() == nullptr) return Refusal::kWrongType;
  if (created) {
    all.rate = double_text(wanted->goal.false_positive_rate);
    const auto made = make_value(*wanted, limits_in(call.context));
    if (const auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
    key.set(std::get<BloomValue*>(made));
  }
  RedisBloomFilter& filter = key.value()->filter();
  if (!fits_in_newest(filter, keys.size())) filter.set_limits(limits_in(call.context));
  const std::uint64_t before = filter.keys_inserted();
  insert_keys(filter, all);
  const bool refused = std::ranges::any_of(all.answers, [](InsertResult answer) {
    return answer == InsertResult::kFull || answer == InsertResult::kFailed;
  });
  const bool changed = filter.keys_inserted() != before;
  const Change change = changed ? Change::kSome : Change::kNothing;
  key.value()->account(refused ? Change::kRefused : change);
  publish(call, created ? wanted : nullptr, changed, all, refused);
  return Inserted{std::move(all.answers)};
}

int insert_and_reply_all(const CommandCall& call, const NewFilter* wanted, Keys keys) {
  const auto inserted = insert(call, wanted, keys);
  if (const auto* refusal = std::get_if<Refusal>(&inserted)) return reply_refusal(call, *refusal);
  const auto& answers = std::get<Inserted>(inserted).answers;
  reply_array(call, answers.size());
  for (const InsertResult answer : answers) reply_insert_result(call, answer);
  return kOk;
}

// Nearly every time: the filter exists and its newest layer has room. Nothing can fail then, and
// nothing is allocated.
std::optional<bool> add_where_there_is_room(const CommandCall& call) {
  BloomKey key{call, kRead | kWrite};
  if (key.value() == nullptr || !fits_in_newest(key.value()->filter(), 1)) return std::nullopt;
  const bool added = *key.value()->filter().insert(call.bytes(2));
  if (!added) return false;
  key.value()->account(Change::kSome);
  api.ReplicateVerbatim(call.context);
  notify_change(call, "bloom.add");
  return true;
}

}  // namespace

int bf_reserve(const CommandCall& call) {
  const std::vector<std::string_view> words = call.texts_from(2);
  const auto parsed = parse_reserve(words, settings());
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return reply_refusal(call, *refusal);
  const NewFilter& wanted = std::get<NewFilter>(parsed);
  if (parse_double(call.text(2)) != wanted.goal.false_positive_rate)
    api.Log(call.context, "warning", "An error rate above 0.25 is lowered to 0.25");
  BloomKey key{call, kRead | kWrite};
  if (!key.missing())
    return reply_refusal(call, key.value() == nullptr ? Refusal::kWrongType : Refusal::kExists);
  const std::string rate = double_text(wanted.goal.false_positive_rate);
  const auto made = make_value(wanted, limits_in(call.context));
  if (const auto* refusal = std::get_if<Refusal>(&made)) return reply_refusal(call, *refusal);
  key.set(std::get<BloomValue*>(made));
  replicate_reserve(call, wanted, rate);
  notify_change(call, "bloom.reserve");
  return reply_ok(call);
}

int bf_add(const CommandCall& call) {
  if (const auto added = add_where_there_is_room(call)) return reply_bool(call, *added);
  const NewFilter wanted = default_filter(settings());
  const auto inserted = insert(call, &wanted, call.words.subspan(2));
  if (const auto* refusal = std::get_if<Refusal>(&inserted)) return reply_refusal(call, *refusal);
  return reply_insert_result(call, std::get<Inserted>(inserted).answers.front());
}

int bf_madd(const CommandCall& call) {
  const NewFilter wanted = default_filter(settings());
  return insert_and_reply_all(call, &wanted, call.words.subspan(2));
}

int bf_insert(const CommandCall& call) {
  const auto parsed = parse_insert(call.texts_from(2), settings());
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return reply_refusal(call, *refusal);
  const Insertion& insertion = std::get<Insertion>(parsed);
  return insert_and_reply_all(call, insertion.may_create ? &insertion.filter : nullptr,
                              call.words.subspan(2 + insertion.first_key));
}

}  // namespace bloomery::redis_module
