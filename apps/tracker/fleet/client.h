// A fleet as a TrackerClient, so that a scan works with one tracker or many servers alike.
#pragma once
#include "apps/tracker/fleet/leader.h"
#include "apps/tracker/state/tracker_client.h"

namespace bloomery::tracker {

class FleetClient : public TrackerClient {
 public:
  // Of the cycle that was begun: whose shares count as changed, and why.
  virtual const std::vector<IncompleteShare>& incomplete() const = 0;
  // The scan is complete. An error where another leader began a cycle since; what was scanned is
  // right all the same.
  virtual Status finish_scan() = 0;
};

// What becomes of a scan while Redis is silent.
enum class FleetFallback : std::uint8_t {
  kNone,       // an error
  kEverything  // every path may have changed since any cycle
};

// Elects itself when it is first asked for its roots or a cycle; leads until close().
std::unique_ptr<FleetClient> open_fleet(StoreOpener open, FleetLeaderOptions options,
                                        FleetFallback fallback = FleetFallback::kNone);

}  // namespace bloomery::tracker
