// How the commands of the group `track` reach a fleet of servers.
#pragma once
#include "apps/cli/track/command.h"
#include "apps/tracker/fleet/client.h"
#include "apps/tracker/fleet/node.h"

namespace bloomery::cli {

struct FleetOptions {
  std::string redis;                                   // empty: one machine, and no Redis
  std::optional<std::uint64_t> patience_seconds = {};  // none: the usual ones

  bool given() const { return !redis.empty(); }
};

Option* add_redis_option(CommandLine& app, FleetOptions& options);
Option* add_node_option(CommandLine& app, std::string& name);
Option* add_patience_option(CommandLine& app, FleetOptions& options);

// Connections to the fleet's Redis, made when they are used.
Result<tracker::StoreOpener> fleet_opener(const FleetOptions& options);
Result<std::unique_ptr<tracker::FleetClient>> reach_fleet(const FleetOptions& fleet,
                                                          const TrackOptions& track,
                                                          const Session& session,
                                                          tracker::FleetFallback fallback);
// Of a watcher that joins a fleet; runs until it is destroyed. Precondition: watcher outlives it.
Result<std::unique_ptr<tracker::FleetNode>> join_fleet(const FleetOptions& fleet,
                                                       const std::string& node,
                                                       const TrackOptions& track,
                                                       tracker::TrackerClient& watcher);
// On stderr: whose share counts as changed, and why.
void warn_of_incomplete(const FleetOptions& fleet, const tracker::FleetClient& client);

// Complains about the fleet; for `return`.
int complain_of_fleet(const FleetOptions& options, const Error& error);

}  // namespace bloomery::cli
