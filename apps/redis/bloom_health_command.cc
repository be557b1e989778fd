#include <cmath>

#include "apps/redis/bloom_commands.h"
#include "apps/redis/bloom_key.h"
#include "apps/redis/numbers.h"
#include "apps/redis/replies.h"

namespace bloomery::redis_module {
namespace {

void reply_name(const Call& call, const char* name) {
  api.ReplyWithSimpleString(call.context, name);
}

// RESP2 has no fractions: there the shortest text of it, whatever the server would write.
void reply_fraction(const Call& call, double number) {
  if (speaks_resp3(call))
    api.ReplyWithDouble(call.context, number);
  else
    reply_text(call, double_text(number));
}

constexpr std::size_t kSharedFields = 6;

// What the whole filter and each of its layers tell alike.
void reply_shared_fields(const Call& call, const Health& health, double design,
                         std::uint64_t inserted) {
  reply_name(call, "Fill");
  reply_fraction(call, health.fill);
  reply_name(call, "Number of items inserted");
  reply_number(call, inserted);
  reply_name(call, "Estimated items");
  reply_number(call, static_cast<std::uint64_t>(std::llround(health.estimated_keys)));
  reply_name(call, "Design error rate");
  reply_fraction(call, design);
  reply_name(call, "Error rate now");
  reply_fraction(call, health.error_rate);
  reply_name(call, "Verdict");
  reply_text(call, verdict_name(health.verdict));
}

void reply_layer(const Call& call, const RedisBloomLayer& layer) {
  reply_map(call, 2 + kSharedFields);
  reply_name(call, "Bits");
  reply_number(call, layer.filter.size_bits());
  reply_name(call, "Probes");
  reply_number(call, layer.filter.shape().probes);
  reply_shared_fields(call, layer.health(), layer.rate, layer.keys_inserted());
}

}  // namespace

int bf_health(const Call& call) {
  const BloomKey key{call, kRead};
  if (key.missing()) return reply_refusal(call, Refusal::kNotFound);
  if (key.value() == nullptr) return reply_refusal(call, Refusal::kWrongType);
  const RedisBloomFilter& filter = key.value()->filter();
  reply_map(call, kSharedFields + 1);
  reply_shared_fields(call, filter.health(), filter.goal().false_positive_rate,
                      filter.keys_inserted());
  reply_name(call, "Filters");
  reply_array(call, filter.layers().size());
  for (const RedisBloomLayer& layer : filter.layers()) reply_layer(call, layer);
  return kOk;
}

}  // namespace bloomery::redis_module
