#include "apps/cli/track_fleet.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "apps/cli/number_options.h"
#include "apps/cli/redis_client.h"
#include "apps/tracker/fleet_redis.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::string name_of_this_process() {
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  return message(host[0] == '\0' ? "somebody" : host, ", process ", ::getpid());
}

}  // namespace

CLI::Option* add_redis_option(CLI::App& app, FleetOptions& options) {
  return app
      .add_option("--redis", options.redis,
                  "The fleet: redis://[[user:]password@]host[:port]/FLEET,\n"
                  "of any name; all its servers give the same")
      ->type_name("URL")
      ->group("Many servers");
}

CLI::Option* add_patience_option(CLI::App& app, FleetOptions& options) {
  auto* option = add_count_option(
      app, "--patience", options.patience_seconds,
      "Seconds to wait for the nodes' answers, and for another leader\n(default: 10)");
  option->type_name("SECONDS")->check(CLI::Range(0, 86400))->group("Many servers");
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

Result<std::unique_ptr<tracker::FleetAccess>> reach_fleet(const FleetOptions& fleet,
                                                          const TrackOptions& track,
                                                          const Session& session) {
  auto open = fleet_opener(fleet);
  if (!open) return open.error();
  std::error_code failed;
  std::filesystem::create_directories(track.state, failed);
  if (failed)
    return Error{ErrorCode::kIo, message(track.state, ": cannot be made: ", failed.message())};
  tracker::FleetLeaderOptions options{
      .fleet = parse_redis_address(fleet.redis)->key,
      .name = name_of_this_process(),
      .state_folder = track.state,
      .patience = std::chrono::seconds{fleet.patience_seconds},
      .lock_patience = std::chrono::seconds{fleet.patience_seconds}};
  if (track.rate) options.goal.rate = *track.rate;
  if (auto goal = checked(options.goal); !goal) return goal.error();
  options.limits.max_bytes = session.globals.memory;
  return tracker::open_fleet(std::move(*open), std::move(options));
}

void warn_of_incomplete(const FleetOptions& fleet, const tracker::FleetAccess& access) {
  for (const tracker::IncompleteShare& share : access.incomplete()) {
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
