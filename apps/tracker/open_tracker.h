// Opens the tracker of a state folder, for every command. A fleet's client is in fleet/client.h.
#pragma once
#include "apps/tracker/scan/scan.h"
#include "apps/tracker/state/tracker_client.h"

namespace bloomery::tracker {

// The watcher that owns the state, or else its files. Without its fleet, the state of a fleet's
// server counts every path as changed.
Result<std::unique_ptr<TrackerClient>> open_tracker(const ClientOptions& options);

// True if a copy of a state is in the folder, on a drive that its seal names, or on one of the
// options.
bool tracker_exists(const TrackerOptions& options);

// A scan with that tracker, which is open only while the scan begins: other processes mark paths
// while the tree is walked.
Result<ScanReport> scan_with_tracker(const ScanRequest& request);

}  // namespace bloomery::tracker
