#include "apps/redis/server/filter_key.h"

namespace bloomery::redis_module {

void notify_change(const CommandCall& call, const char* event) {
  api.SignalModifiedKey(call.context, call.key_name());
  api.NotifyKeyspaceEvent(call.context, kNotifyModule, event, call.key_name());
}

}  // namespace bloomery::redis_module
