// A tracker's status for Prometheus.
#pragma once
#include <string>

#include "apps/tracker/state/tracker_status.h"

namespace bloomery::tracker {

struct WebhookCounts {
  std::uint64_t notifications = 0;  // that were understood
  std::uint64_t changes = 0;        // in them
  std::uint64_t unreadable = 0;     // each made a cycle "everything"
  std::uint64_t refused = 0;        // without the right token
  std::uint64_t unheard = 0;        // that broke before their token could be read
};
std::string metrics_text(const TrackerStatus& status, const WebhookCounts& webhook,
                         std::int64_t now_unix);

}  // namespace bloomery::tracker
