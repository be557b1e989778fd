#include "apps/redis/primary.h"

namespace bloomery::redis_module {

bool decides(Context* context) {
  constexpr int kTold = kFlagReplica | kFlagReplicated | kFlagLoading;
  return (api.GetContextFlags(context) & kTold) == 0;
}

bool is_told(Context* context) {
  return (api.GetContextFlags(context) & (kFlagReplicated | kFlagLoading)) != 0;
}

// The server's cached time does not move while a script or a transaction runs.
std::int64_t now_milliseconds() {
  if (api.CachedMicroseconds == nullptr) return api.Milliseconds();
  return static_cast<std::int64_t>(api.CachedMicroseconds() / 1000);
}

}  // namespace bloomery::redis_module
