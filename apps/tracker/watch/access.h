// A command's way to the watcher that owns a tracker.
#pragma once
#include "apps/tracker/watch/tracker_client.h"

namespace bloomery::tracker {

// Null if none is alive.
Result<std::unique_ptr<TrackerAccess>> open_watcher(const AccessOptions& options);

}  // namespace bloomery::tracker
