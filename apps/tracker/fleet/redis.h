// The store of a fleet in Redis: scripts, sent by their digests, and replies that are checked
// before use.
#pragma once
#include "apps/redis_client/connection.h"
#include "apps/tracker/fleet/store.h"

namespace bloomery::tracker {

struct FleetRedisOptions {
  std::chrono::milliseconds lock_time = kLeaderLockTime;
  std::chrono::milliseconds alive_time{10'000};  // a node that is silent for so long is not there
  std::chrono::milliseconds beat_every{1'000};
};

// redis://[[user:]password@]host[:port]/FLEET[?option=value&...], as docs/tracker_servers.md says.
Result<redis_client::RedisAddress> parse_fleet_address(std::string_view text);

// Connects when it is first used, and again after an error.
std::unique_ptr<FleetStore> open_fleet_in_redis(redis_client::RedisAddress address,
                                                FleetRedisOptions options = {});

// The fleet's hash as a reply's words: field, value, field, value, ...
Result<FleetView> parse_fleet(std::span<const std::string> words, std::uint64_t now_ms);

}  // namespace bloomery::tracker
