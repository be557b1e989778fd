#include "apps/redis/cuckoo/commands.h"

#include <cstdio>

#include "apps/redis/cuckoo/key.h"
#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {
namespace {

struct Field {
  const char* name;
  std::uint64_t (*value)(const RedisCuckooFilter&);
};
constexpr Field kFields[] = {
    {"Size", [](const RedisCuckooFilter& filter) { return filter.reported_bytes(); }},
    {"Number of buckets", [](const RedisCuckooFilter& filter) { return filter.shape().buckets; }},
    {"Number of filters",
     [](const RedisCuckooFilter& filter) -> std::uint64_t { return filter.layers(); }},
    {"Number of items inserted", [](const RedisCuckooFilter& filter) { return filter.keys(); }},
    {"Number of items deleted", [](const RedisCuckooFilter& filter) { return filter.removals(); }},
    {"Bucket size",
     [](const RedisCuckooFilter& filter) -> std::uint64_t { return filter.shape().bucket_size; }},
    {"Expansion rate",
     [](const RedisCuckooFilter& filter) -> std::uint64_t { return filter.shape().expansion; }},
    {"Max iterations", [](const RedisCuckooFilter& filter) -> std::uint64_t {
       return filter.shape().max_iterations;
     }}};

}  // namespace

bool may_compact(Context* context) {
  const int flags = api.GetContextFlags(context);
  return (flags & kFlagReplica) == 0 || (flags & (kFlagReplicated | kFlagLoading)) != 0;
}

// A key of another type holds no key of ours either: 0, and not an error, as in RedisBloom.
int cf_exists(const CommandCall& call) {
  const CuckooKey key{call, kRead};
  return reply_bool(call,
                    key.value() != nullptr && key.value()->filter().may_contain(call.bytes(2)));
}

int cf_mexists(const CommandCall& call) {
  const CuckooKey key{call, kRead};
  reply_array(call, call.words.size() - 2);
  for (std::size_t i = 2; i < call.words.size(); ++i)
    reply_bool(call, key.value() != nullptr && key.value()->filter().may_contain(call.bytes(i)));
  return kOk;
}

int cf_count(const CommandCall& call) {
  const CuckooKey key{call, kRead};
  return reply_number(call,
                      key.value() == nullptr ? 0 : key.value()->filter().count(call.bytes(2)));
}

int cf_del(const CommandCall& call) {
  const CuckooKey key{call, kRead | kWrite};
  if (key.value() == nullptr) return reply_refusal(call, Refusal::kCuckooNothingToRemoveFrom);
  const bool removed = key.value()->filter().remove(call.bytes(2));
  if (removed) {
    key.value()->account(Change::kSome);
    api.ReplicateVerbatim(call.context);
    notify_change(call, "cuckoo.del");
  }
  return reply_bool(call, removed);
}

int cf_compact(const CommandCall& call) {
  if (call.words.size() != 2) return reply_refusal(call, Refusal::kArity);
  const bool changes = may_compact(call.context);
  const CuckooKey key{call, changes ? kRead | kWrite : kRead};
  if (key.value() == nullptr) return reply_refusal(call, Refusal::kCuckooNothingToCompact);
  RedisCuckooFilter& filter = key.value()->filter();
  if (changes && (filter.layers() > 1 || filter.removals() > 0)) {
    filter.compact();
    key.value()->account(Change::kSome);
    api.ReplicateVerbatim(call.context);
    notify_change(call, "cuckoo.compact");
  }
  return reply_ok(call);
}

int cf_info(const CommandCall& call) {
  const CuckooKey key{call, kRead};
  if (key.value() == nullptr) return reply_refusal(call, key.refusal());
  reply_map(call, std::size(kFields));
  for (const Field& field : kFields) {
    api.ReplyWithSimpleString(call.context, field.name);
    reply_number(call, field.value(key.value()->filter()));
  }
  return kOk;
}

int cf_debug(const CommandCall& call) {
  const CuckooKey key{call, kRead};
  if (key.value() == nullptr) return reply_refusal(call, key.refusal());
  const RedisCuckooHeader header = key.value()->filter().header();
  char text[256];  // seven numbers of at most 20 digits and their names
  const int written = std::snprintf(
      text, sizeof text,
      "bktsize:%u buckets:%llu items:%llu deletes:%llu filters:%llu max_iterations:%u expansion:%u",
      unsigned{header.bucket_size}, static_cast<unsigned long long>(header.buckets),
      static_cast<unsigned long long>(header.keys),
      static_cast<unsigned long long>(header.removals),
      static_cast<unsigned long long>(header.layers), unsigned{header.max_iterations},
      unsigned{header.expansion});
  return reply_text(call, {text, static_cast<std::size_t>(written)});
}

}  // namespace bloomery::redis_module
