#include "apps/redis/bloom/commands.h"
#include "apps/redis/bloom/key.h"
#include "apps/redis/command/health_replies.h"

namespace bloomery::redis_module {

int bf_health(const CommandCall& call) {
  const BloomKey key{call, kRead};
  if (key.missing()) return reply_refusal(call, Refusal::kNotFound);
  if (key.value() == nullptr) return reply_refusal(call, Refusal::kWrongType);
  const RedisBloomFilter& filter = key.value()->filter();
  reply_map(call, kHealthFields + 1);
  reply_health_fields(call, filter.health(), filter.goal().false_positive_rate,
                      filter.keys_inserted());
  reply_name(call, "Filters");
  reply_array(call, filter.layers().size());
  for (const RedisBloomLayer& layer : filter.layers())
    reply_layer_health(call, layer.filter.shape(), layer.health(), layer.rate,
                       layer.keys_inserted());
  return kOk;
}

}  // namespace bloomery::redis_module
