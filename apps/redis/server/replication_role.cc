#include "apps/redis/server/replication_role.h"

#include <ctime>

namespace bloomery::redis_module {
namespace {

std::int64_t milliseconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

}  // namespace

bool is_replica(Context* context) { return (api.GetContextFlags(context) & kFlagReplica) != 0; }

bool acts_as_primary(Context* context) {
  constexpr int kTold = kFlagReplica | kFlagReplicated | kFlagLoading;
  return (api.GetContextFlags(context) & kTold) == 0;
}

bool is_replicated(Context* context) {
  return (api.GetContextFlags(context) & (kFlagReplicated | kFlagLoading)) != 0;
}

void redact(const CommandCall& call, std::size_t word) {
  if (api.RedactClientCommandArgument == nullptr) return;
  if ((api.GetContextFlags(call.context) & kFlagLoading) != 0) return;
  api.RedactClientCommandArgument(call.context, static_cast<int>(word));
}

// Both at one moment: where something came in between, they are read again.
ClockReading read_clocks() {
  ClockReading reading{};
  for (int attempt = 0; attempt < 3; ++attempt) {
    reading.steady = milliseconds_of(CLOCK_BOOTTIME);
    reading.wall = milliseconds_of(CLOCK_REALTIME);
    if (milliseconds_of(CLOCK_BOOTTIME) - reading.steady < kClockStep / 4) break;
  }
  return reading;
}

std::int64_t steady_milliseconds() { return milliseconds_of(CLOCK_BOOTTIME); }

}  // namespace bloomery::redis_module
