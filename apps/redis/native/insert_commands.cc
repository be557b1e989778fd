#include <algorithm>

#include "apps/redis/bloom/key.h"
#include "apps/redis/native/commands.h"
#include "apps/redis/native/elsewhere.h"
#include "apps/redis/native/window.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/names.h"
#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {
namespace {

using Keys = std::span<String* const>;

bool refused(const LayeredInsert& answer) {
  return answer.answer == InsertResult::kFull || answer.answer == InsertResult::kFailed;
}

// A server that knows no parts has no such key, and must not make another filter of it.
void replicate_to_part(const CommandCall& call, String* const* keys, std::size_t count) {
  api.Replicate(call.context, replicated_command("BF.INSERT").c_str(), "sccv", call.key_name(),
                "NOCREATE", "ITEMS", keys, count);
}

// Keys that did not fit into memory here must not be added on replicas.
void replicate(const CommandCall& call, bool is_part, Keys keys,
               const std::vector<LayeredInsert>& answers, std::vector<String*>& added) {
  if (std::ranges::none_of(answers, refused)) {
    if (is_part)
      replicate_to_part(call, keys.data(), keys.size());
    else
      api.ReplicateVerbatim(call.context);
    return;
  }
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (answers[i].changed) added.push_back(keys[i]);
  if (is_part) return replicate_to_part(call, added.data(), added.size());
  api.Replicate(call.context, replicated_command("BF.MADD").c_str(), "sv", call.key_name(),
                added.data(), added.size());
}

std::vector<LayeredInsert> insert(const CommandCall& call, NativeKey& key, Keys keys) {
  std::vector<ByteView> bytes;
  bytes.reserve(keys.size());
  for (const String* key_text : keys) bytes.push_back(bytes_of(text_of(key_text)));
  std::vector<String*> added;  // with room for all, so that nothing fails after a change
  added.reserve(keys.size());
  if (!rotate_if_due(call, key)) return std::vector<LayeredInsert>(keys.size());
  LayeredFilter& filter = *key.value()->filter().filter();
  filter.set_limits(limits_in(call.context));
  std::vector<LayeredInsert> answers = filter.insert(bytes, time_for(filter));
  const bool changed = std::ranges::any_of(answers, &LayeredInsert::changed);
  const Change change = changed ? Change::kSome : Change::kNothing;
  key.value()->account(std::ranges::any_of(answers, refused) ? Change::kRefused : change);
  if (changed) {
    replicate(call, filter.plan().part.has_value(), keys, answers, added);
    notify_change(call, "bloom.add");
  }
  return answers;
}

int insert_and_reply_all(const CommandCall& call, NativeKey& key, Keys keys) {
  if (const auto refused = refuse_elsewhere(call, *key.value()->filter().filter(), keys))
    return *refused;
  const std::vector<LayeredInsert> answers = insert(call, key, keys);
  reply_array(call, answers.size());
  for (const LayeredInsert& answer : answers) reply_insert_result(call, answer.answer);
  return kOk;
}

// Nearly every time: no window, no counting, and the newest layer has room. Nothing can fail then,
// and nothing is allocated.
bool add_within_room(const CommandCall& call, NativeValue& value) {
  if (!value.filter().filter()->insert_within_room(call.bytes(2))) return false;
  value.account(Change::kSome);
  if (value.filter().filter()->plan().part)
    replicate_to_part(call, &call.words[2], 1);
  else
    api.ReplicateVerbatim(call.context);
  notify_change(call, "bloom.add");
  return true;
}

}  // namespace

int native_add(const CommandCall& call, NativeKey& key) {
  if (const auto refused =
          refuse_elsewhere(call, *key.value()->filter().filter(), call.words.subspan(2)))
    return *refused;
  if (key.value()->filter().filter()->takes_one_key())
    return reply_bool(call, add_within_room(call, *key.value()));
  return reply_insert_result(call, insert(call, key, call.words.subspan(2)).front().answer);
}

int native_madd(const CommandCall& call, NativeKey& key) {
  return insert_and_reply_all(call, key, call.words.subspan(2));
}

int native_insert(const CommandCall& call, NativeKey& key) {
  const auto parsed = parse_insert(call.texts_from(2), settings());
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return reply_refusal(call, *refusal);
  const std::size_t first = std::get<Insertion>(parsed).first_key;
  return insert_and_reply_all(call, key, call.words.subspan(2 + first));
}

int bf_del(const CommandCall& call) {
  const BloomKey key{call, kRead | kWrite};
  return reply_refusal(call, key.value() != nullptr ? Refusal::kNativeNotCounting : key.refusal());
}

int native_del(const CommandCall& call, NativeKey& key) {
  LayeredFilter& filter = *key.value()->filter().filter();
  if (filter.plan().layout != LayerKind::kCounting)
    return reply_refusal(call, Refusal::kNativeNotCounting);
  const bool removed = filter.remove(call.bytes(2));
  if (removed) {
    key.value()->account(Change::kSome);
    api.ReplicateVerbatim(call.context);
    notify_change(call, "bloom.del");
  }
  return reply_bool(call, removed);
}

}  // namespace bloomery::redis_module
