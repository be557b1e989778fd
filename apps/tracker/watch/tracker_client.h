// How a command reaches a tracker: through the watcher that owns it, or in its files. The commands
// do not know which.
#pragma once
#include <memory>

#include "apps/tracker/state/coverage.h"
#include "apps/tracker/state/tracker.h"

namespace bloomery::tracker {

class TrackerAccess {
 public:
  TrackerAccess() = default;
  TrackerAccess(const TrackerAccess&) = delete;
  TrackerAccess& operator=(const TrackerAccess&) = delete;
  virtual ~TrackerAccess() = default;

  // Paths as tracker keys: see resolve_path(), for which roots() is. `below`: all below them may
  // have changed too.
  virtual Status mark(std::span<const std::string> paths, bool below) = 0;
  virtual Result<CycleAnswer> cycle(const CycleRequest& request) = 0;
  virtual Result<CycleAnswer> next_cycle() = 0;
  // One answer for each path: 1 if it may have changed. No cycle: usual_since().
  virtual Status query(std::span<const std::string> paths, std::optional<CycleId> since,
                       std::vector<std::uint8_t>& answers) = 0;
  virtual Status barrier() = 0;
  // All that is known, for who asks about many paths: a copy, which hears of no later mark.
  // Adaptive only: kUnsupported otherwise.
  virtual Result<History> snapshot() = 0;
  virtual Result<TrackerStatus> status() = 0;
  // What proves that no change is missing, and since when.
  virtual Result<Coverage> coverage();
  virtual Result<std::vector<std::string>> roots() = 0;
  virtual Status close() = 0;  // what was done is saved
};

struct AccessOptions {
  TrackerOptions tracker;   // its folder and, for a new state, its settings; without threads
  bool must_exist = false;  // kIo instead of a new state
};

// Asked in order; the first that does not answer null serves. The files come last.
using AccessOpener = Result<std::unique_ptr<TrackerAccess>> (*)(const AccessOptions& options);
std::span<const AccessOpener> access_openers();
Result<std::unique_ptr<TrackerAccess>> open_access(const AccessOptions& options);

// The files themselves.
Result<std::unique_ptr<TrackerAccess>> open_local(const AccessOptions& options);

}  // namespace bloomery::tracker
