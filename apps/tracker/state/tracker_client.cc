#include "apps/tracker/state/tracker_client.h"

namespace bloomery::tracker {

Result<Coverage> TrackerClient::coverage() {
  const auto known = status();
  if (!known) return known.error();
  return coverage_of(*known);
}

}  // namespace bloomery::tracker
