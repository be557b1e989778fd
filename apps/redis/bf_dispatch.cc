#include "apps/redis/bf_dispatch.h"

#include "apps/redis/bloom/key.h"
#include "apps/redis/cuckoo/key.h"
#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {
namespace {

bool source_is_own(const Call& call) {
  if (call.words.size() < 4) return false;
  const NativeKey source{{call.context, call.words.subspan(2)}, kRead};
  return source.value() != nullptr;
}

int reply_unreadable(const Call& call, const Unreadable& value) {
  const std::string text = "ERR the value is kept from a file and cannot be used: " + value.reason;
  return api.ReplyWithError(call.context, text.c_str());
}

// Of the key that the call holds open: what no command may take for a filter.
std::optional<int> refuse_unusable(const Call& call, bool while_loading, Refusal loading) {
  const NativeKey own{call, kRead};
  if (own.value() != nullptr && own.value()->filter().loading() && !while_loading)
    return reply_refusal(call, loading);
  if (own.unreadable() != nullptr) return reply_unreadable(call, *own.unreadable());
  const BloomKey bloom{call, kRead};
  if (bloom.unreadable() != nullptr) return reply_unreadable(call, *bloom.unreadable());
  const CuckooKey cuckoo{call, kRead};
  if (cuckoo.unreadable() != nullptr) return reply_unreadable(call, *cuckoo.unreadable());
  return std::nullopt;
}

}  // namespace

int answer_by_type(const Call& call, const ByType& functions) {
  NativeKey key{call, functions.mode};
  if (const auto refused = refuse_unusable(key.passed_on(call), functions.while_loading,
                                           Refusal::kNativeStillLoading))
    return *refused;
  if (key.value() == nullptr) {
    if (functions.new_by_source && key.missing() && source_is_own(call))
      return functions.own(call, key);
    return functions.plain(key.passed_on(call));
  }
  return functions.own(call, key);
}

int answer_for_cuckoo(const Call& call, const ByType& functions) {
  if (call.words.size() < 2) return functions.plain(call);
  NativeKey key{call, functions.mode};
  if (const auto refused = refuse_unusable(key.passed_on(call), functions.while_loading,
                                           Refusal::kCuckooStillLoading))
    return *refused;
  if (functions.own != nullptr && key.value() != nullptr && key.value()->filter().loading())
    return functions.own(call, key);
  return functions.plain(key.passed_on(call));
}

}  // namespace bloomery::redis_module
