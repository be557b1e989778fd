#include "apps/redis/bf_dispatch.h"

#include "apps/redis/bloom/commands.h"
#include "apps/redis/bloom/key.h"
#include "apps/redis/command/reserve_options.h"
#include "apps/redis/cuckoo/commands.h"
#include "apps/redis/cuckoo/key.h"
#include "apps/redis/native/commands.h"
#include "apps/redis/native/manifest.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/numbers.h"
#include "apps/redis/server/replies.h"
#include "bloomery/formats/native/part_file.h"
#include "bloomery/formats/redis/rediscuckoo_dump.h"

namespace bloomery::redis_module {
namespace {

// The key that argument `at` names, as the key of a call.
CommandCall call_on(const CommandCall& call, std::size_t at) {
  return {call.context, call.words.subspan(at - 1)};
}

bool first_source_is_native(const CommandCall& call) {
  if (call.words.size() <= kFirstSource) return false;
  const NativeKey source{call_on(call, kFirstSource), kRead};
  return source.value() != nullptr;
}

bool source_is_loading(const CommandCall& call, std::size_t at) {
  const NativeKey source{call_on(call, at), kRead};
  return source.value() != nullptr && source.value()->filter().loading();
}

int reply_unreadable(const CommandCall& call, const Unreadable& value) {
  const std::string text = "ERR the value is kept from a file and cannot be used: " + value.reason;
  return api.ReplyWithError(call.context, text.c_str());
}

// The reply for a key that no command may use as a filter. Precondition: the call holds it open.
std::optional<int> refuse_unusable(const CommandCall& call, const Route& route) {
  const NativeKey native{call, kRead};
  if (native.value() != nullptr && native.value()->filter().loading() && !route.takes_loading)
    return reply_refusal(
        call, route.is_cuckoo ? Refusal::kCuckooStillLoading : Refusal::kNativeStillLoading);
  if (native.unreadable() != nullptr) return reply_unreadable(call, *native.unreadable());
  const BloomKey bloom{call, kRead};
  if (bloom.unreadable() != nullptr) return reply_unreadable(call, *bloom.unreadable());
  const CuckooKey cuckoo{call, kRead};
  if (cuckoo.unreadable() != nullptr) return reply_unreadable(call, *cuckoo.unreadable());
  return std::nullopt;
}

bool is_for_native(const CommandCall& call, const Route& route, const NativeKey& key) {
  if (route.native == nullptr) return false;
  if (key.value() == nullptr)
    return route.follows_source && key.missing() && first_source_is_native(call);
  return !route.is_cuckoo || key.value()->filter().loading();
}

int answer(const CommandCall& call, const Route& route) {
  if (call.words.size() < 2) return route.peer(call);  // CF.COMPACT without a key
  const bool only_reads = route.may_only_read && !may_compact(call.context);
  NativeKey key{call, only_reads ? kRead : route.mode};
  if (const auto refused = refuse_unusable(key.with_open_key(call), route)) return *refused;
  return is_for_native(call, route, key) ? route.native(call, key)
                                         : route.peer(key.with_open_key(call));
}

// There is no client to reply to, and the arguments are unchecked.
void report_key_positions(const CommandCall& call) {
  if (call.words.size() > 1) api.KeyAtPos(call.context, 1);
  const std::size_t keys = counted_keys(call).value_or(0);
  for (std::size_t i = 0; i < keys; ++i)
    api.KeyAtPos(call.context, static_cast<int>(kFirstSource + i));
}

}  // namespace

int run_command(const CommandRow& row, Context* context, String** words, int count) {
  const CommandCall call{context, {words, static_cast<std::size_t>(count)}};
  if (row.spec.counted_key_flags != 0 && api.IsKeysPositionRequest(context) != 0) {
    report_key_positions(call);
    return kOk;
  }
  if (count < row.spec.min_arity || (row.spec.max_arity != 0 && count > row.spec.max_arity))
    return reply_refusal(call, Refusal::kArity);
  if (row.spec.is_extension && refuses_extensions(context))
    return reply_refusal(call, Refusal::kRedisBloomOnly);
  try {
    return answer(call, row.route);
  } catch (const std::exception&) {  // only memory runs out: the library throws nothing else
    return reply_refusal(call, Refusal::kNoMemory);
  }
}

int reserve_by_options(const CommandCall& call) {
  return asks_for_native_type(call.texts_from(2)) ? reserve_native(call) : bf_reserve(call);
}

int load_bloom_chunk(const CommandCall& call) {
  const BloomKey key{call, kRead | kWrite};
  if (!key.missing() || parse_integer(call.text(2)) != 1) return bf_loadchunk(call);
  const bool is_native =
      looks_like_native_manifest(call.bytes(3)) || looks_like_native_part(call.bytes(3));
  return is_native ? start_native_load(call) : start_peer_load(call, PeerKind::kBloom);
}

int load_cuckoo_chunk(const CommandCall& call) {
  const CuckooKey key{call, kRead | kWrite};
  const bool starts = key.missing() && parse_integer(call.text(2)) == 1 &&
                      call.bytes(3).size() == kRedisCuckooHeaderBytes;
  return starts ? start_peer_load(call, PeerKind::kCuckoo) : cf_loadchunk(call);
}

int merge_bloom(const CommandCall& call) { return bf_merge(call, source_is_loading); }

}  // namespace bloomery::redis_module
