// The client of the watcher that owns a tracker, over its socket.
#pragma once
#include "apps/tracker/state/tracker_client.h"

namespace bloomery::tracker {

// Null if no watcher runs.
Result<std::unique_ptr<TrackerClient>> open_watcher(const ClientOptions& options);

}  // namespace bloomery::tracker
