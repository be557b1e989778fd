#include "apps/redis/by_type.h"

#include "apps/redis/replies.h"

namespace bloomery::redis_module {
namespace {

bool source_is_own(const Call& call) {
  if (call.words.size() < 4) return false;
  const OwnKey source{{call.context, call.words.subspan(2)}, kRead};
  return source.value() != nullptr;
}

}  // namespace

int answer_by_type(const Call& call, const ByType& functions) {
  OwnKey key{call, functions.mode};
  if (key.value() == nullptr) {
    if (functions.new_by_source && key.missing() && source_is_own(call))
      return functions.own(call, key);
    return functions.plain(key.passed_on(call));
  }
  if (key.value()->filter().loader() != nullptr && !functions.while_loading)
    return reply_refusal(call, Refusal::kOwnStillLoading);
  return functions.own(call, key);
}

}  // namespace bloomery::redis_module
