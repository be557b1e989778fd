#include "apps/cli/track/fleet.h"

#include <unistd.h>

#include "apps/cli/remote/redis_options.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/redis_client.h"
#include "apps/tracker/fleet/redis.h"
#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/private_files.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::string host_name() {
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) != 0) return {};
  return host;
}

}  // namespace

Option* add_redis_option(CommandLine& app, FleetOptions& options) {
  add_redis_options(app);
  return app
      .add_option("--redis", options.redis,
                  "The fleet: redis://host[:port]/FLEET (TLS: rediss://). FLEET is any name, the "
                  "same on all servers")
      ->value_name("URL")
      ->group("Many servers");
}

Option* add_node_option(CommandLine& app, std::string& name) {
  return app
      .add_option("--node", name, "Name of this server in its fleet (default: its host name)")
      ->value_name("NAME")
      ->group("Many servers");
}

Option* add_patience_option(CommandLine& app, FleetOptions& options) {
  auto* option = app.add_count("--patience", options.patience_seconds,
                               "Time to wait for the answers of nodes (default: 10) and for "
                               "another leader (default: 20, longer than the lock of a dead one)");
  option->value_name("SECONDS")->between(0, 86'400)->group("Many servers");
  return option;
}

Result<tracker::StoreOpener> fleet_opener(const FleetOptions& options) {
  auto address = tracker::parse_fleet_address(options.redis);
  if (!address) return address.error();
  return tracker::StoreOpener{
      [address = *address]() -> Result<std::unique_ptr<tracker::FleetStore>> {
        return tracker::open_fleet_in_redis(address);
      }};
}

Result<std::unique_ptr<tracker::FleetClient>> reach_fleet(const FleetOptions& fleet,
                                                          const TrackOptions& track,
                                                          const Session& session,
                                                          tracker::FleetFallback fallback) {
  auto open = fleet_opener(fleet);
  if (!open) return open.error();
  if (auto made = tracker::make_private_folder(track.state); !made) return made.error();
  tracker::FleetLeaderOptions options{.fleet = parse_redis_address(fleet.redis)->key,
                                      .name = message(host_name(), ", process ", ::getpid()),
                                      .state_folder = track.state};
  if (fleet.patience_seconds)
    options.patience = options.lock_patience = std::chrono::seconds{*fleet.patience_seconds};
  if (track.rate) options.goal.rate = *track.rate;
  if (auto goal = checked(options.goal); !goal) return goal.error();
  options.limits.max_bytes = session.globals.memory;
  return tracker::open_fleet(std::move(*open), std::move(options), fallback);
}

Result<std::unique_ptr<tracker::FleetNode>> join_fleet(const FleetOptions& fleet,
                                                       const std::string& node,
                                                       const TrackOptions& track,
                                                       tracker::TrackerClient& watcher) {
  const auto open = fleet_opener(fleet);
  if (!open) return open.error();
  auto store = (*open)();
  if (!store) return store.error();
  const auto roots = watcher.roots();
  if (!roots) return roots.error();
  tracker::FleetNodeOptions options{.fleet = parse_redis_address(fleet.redis)->key,
                                    .name = node.empty() ? host_name() : node,
                                    .state_folder = track.state};
  for (const std::string& root : *roots) options.share.push_back(tracker::clean_path(root));
  return tracker::FleetNode::start(std::move(options), std::move(*store),
                                   tracker::close_cycle_of(watcher));
}

void warn_of_incomplete(const FleetOptions& fleet, const tracker::FleetClient& client) {
  for (const tracker::IncompleteShare& share : client.incomplete()) {
    std::string below;
    for (const std::string& root : share.share)
      below += (below.empty() ? " below /" : ", /") + printable(root);
    warn(fleet.redis,
         message(share.node.empty() ? "" : message("node ", share.node, ": "),
                 printable(share.reason), "; everything", below, " counts as changed"));
  }
}

int complain_of_fleet(const FleetOptions& options, const Error& error) {
  return complain(options.redis, error, Blame::kArguments);
}

}  // namespace bloomery::cli
