// Replies of BF.HEALTH for a filter and for each of its layers, for filters of every type.
#pragma once
#include "apps/redis/server/replies.h"
#include "bloomery/filter/health.h"

namespace bloomery::redis_module {

inline constexpr std::size_t kHealthFields = 6;

void reply_name(const CommandCall& call, const char* name);
// What the whole filter and each of its layers tell alike: as many fields.
void reply_health_fields(const CommandCall& call, const Health& health, double design,
                         std::uint64_t inserted);
void reply_layer_health(const CommandCall& call, Shape shape, const Health& health, double design,
                        std::uint64_t inserted);

}  // namespace bloomery::redis_module
