#include "apps/redis/command/health_replies.h"

#include <array>
#include <charconv>
#include <cmath>

namespace bloomery::redis_module {
namespace {

// RESP2 has no fractions: there the reply is the shortest text of the number, with every server.
void reply_fraction(const CommandCall& call, double number) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  if (speaks_resp3(call))
    api.ReplyWithDouble(call.context, number);
  else
    reply_text(call, std::string_view{text.data(), written.ptr});
}

}  // namespace

void reply_name(const CommandCall& call, const char* name) {
  api.ReplyWithSimpleString(call.context, name);
}

void reply_health_fields(const CommandCall& call, const Health& health, double design,
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

void reply_layer_health(const CommandCall& call, Shape shape, const Health& health, double design,
                        std::uint64_t inserted) {
  reply_map(call, 2 + kHealthFields);
  reply_name(call, "Bits");
  reply_number(call, shape.bits);
  reply_name(call, "Probes");
  reply_number(call, shape.probes);
  reply_health_fields(call, health, design, inserted);
}

}  // namespace bloomery::redis_module
