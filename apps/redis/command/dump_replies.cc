#include "apps/redis/command/dump_replies.h"

#include "apps/redis/server/filter_key.h"
#include "apps/redis/server/statistics.h"

namespace bloomery::redis_module {

int reply_chunk(const CommandCall& call, std::int64_t next, ByteView bytes) {
  reply_array(call, 2);
  api.ReplyWithLongLong(call.context, next);
  return reply_text(call, bloomery::text_of(bytes));
}

int refuse_load(const CommandCall& call, Refusal refusal) {
  ++statistics.rejected_loads;
  return reply_refusal(call, refusal);
}

int accept_load(const CommandCall& call, const char* event) {
  api.ReplicateVerbatim(call.context);
  notify_change(call, event);
  return reply_ok(call);
}

}  // namespace bloomery::redis_module
