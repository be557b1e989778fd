#include "apps/redis/cuckoo_commands.h"

#include "apps/redis/cuckoo_key.h"
#include "apps/redis/guard.h"
#include "apps/redis/replies.h"
#include "bloomery/base/message.h"

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

// The server lets readers call CF.COMPACT, which is marked as it is in the peer. A replica may hold
// only what its primary does.
bool may_change(Context* context) {
  const int flags = api.GetContextFlags(context);
  return (flags & kFlagReplica) == 0 || (flags & (kFlagReplicated | kFlagLoading)) != 0;
}

}  // namespace

// A key of another type holds no key of ours either: 0, and not an error, as in the peer.
int cf_exists(const Call& call) {
  const CuckooKey key{call, kRead};
  return reply_bool(call,
                    key.value() != nullptr && key.value()->filter().may_contain(call.bytes(2)));
}

int cf_mexists(const Call& call) {
  const CuckooKey key{call, kRead};
  reply_array(call, call.words.size() - 2);
  for (std::size_t i = 2; i < call.words.size(); ++i)
    reply_bool(call, key.value() != nullptr && key.value()->filter().may_contain(call.bytes(i)));
  return kOk;
}

int cf_count(const Call& call) {
  const CuckooKey key{call, kRead};
  return reply_number(call,
                      key.value() == nullptr ? 0 : key.value()->filter().count(call.bytes(2)));
}

int cf_del(const Call& call) {
  const CuckooKey key{call, kRead | kWrite};
  if (key.value() == nullptr) return reply_refusal(call, Refusal::kCuckooNothingToRemoveFrom);
  // Only the compaction that follows a removal needs memory: where it throws, the key is out.
  const bool removed = guard(true, [&] { return key.value()->filter().remove(call.bytes(2)); });
  if (removed) {
    key.value()->account(false);
    api.ReplicateVerbatim(call.context);
    announce(call, "cuckoo.del");
  }
  return reply_bool(call, removed);
}

int cf_compact(const Call& call) {
  if (call.words.size() != 2) return reply_refusal(call, Refusal::kArity);
  const bool changes = may_change(call.context);
  const CuckooKey key{call, changes ? kRead | kWrite : kRead};
  if (key.value() == nullptr) return reply_refusal(call, Refusal::kCuckooNothingToCompact);
  RedisCuckooFilter& filter = key.value()->filter();
  if (changes && (filter.layers() > 1 || filter.removals() > 0)) {
    filter.compact();
    key.value()->account(false);
    api.ReplicateVerbatim(call.context);
    announce(call, "cuckoo.compact");
  }
  return reply_ok(call);
}

int cf_info(const Call& call) {
  const CuckooKey key{call, kRead};
  if (key.value() == nullptr) return reply_refusal(call, key.why_none());
  reply_map(call, std::size(kFields));
  for (const Field& field : kFields) {
    api.ReplyWithSimpleString(call.context, field.name);
    reply_number(call, field.value(key.value()->filter()));
  }
  return kOk;
}

int cf_debug(const Call& call) {
  const CuckooKey key{call, kRead};
  if (key.value() == nullptr) return reply_refusal(call, key.why_none());
  const RedisCuckooHeader header = key.value()->filter().header();
  return reply_text(
      call, message("bktsize:", header.bucket_size, " buckets:", header.buckets, " items:",
                    header.keys, " deletes:", header.removals, " filters:", header.layers,
                    " max_iterations:", header.max_iterations, " expansion:", header.expansion));
}

}  // namespace bloomery::redis_module
