// Replication role and clock. A primary decides; replicas, and a server that replays its own file,
// apply what was decided.
#pragma once
#include "apps/redis/server/command_call.h"
#include "apps/redis/server/redis_api.h"
#include "bloomery/formats/layered/clock.h"

namespace bloomery::redis_module {

bool acts_as_primary(Context* context);
// The command was sent by the primary, or comes from the server's own file.
bool is_replicated(Context* context);
bool is_replica(Context* context);
// Monitors and the slow log show that word as (redacted), from Redis 7.0 on. A server that replays
// its own file has neither.
void redact(const CommandCall& call, std::size_t word);
ClockReading read_clocks();
std::int64_t steady_milliseconds();  // as in ClockReading; suspended time counts

}  // namespace bloomery::redis_module
