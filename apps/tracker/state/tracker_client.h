// The interface through which commands and scans use a tracker: its files, the watcher that owns
// them, or a fleet of servers.
#pragma once
#include <memory>
#include <optional>
#include <span>

#include "apps/tracker/state/coverage.h"
#include "apps/tracker/state/history.h"
#include "apps/tracker/state/tracker_options.h"
#include "apps/tracker/state/tracker_status.h"

namespace bloomery::tracker {

class TrackerClient {
 public:
  TrackerClient() = default;
  TrackerClient(const TrackerClient&) = delete;
  TrackerClient& operator=(const TrackerClient&) = delete;
  virtual ~TrackerClient() = default;

  // Paths are tracker keys: resolve_path() makes them, with the roots of roots(). `below`: all
  // below them may have changed too.
  virtual Status mark(std::span<const std::string> paths, bool below) = 0;
  virtual Result<CycleAnswer> cycle(const CycleRequest& request) = 0;
  // cycle() to the number after the current one, with as many cycles as are kept.
  virtual Result<CycleAnswer> next_cycle() = 0;
  // Sets answers to one number for each path: 1 if it may have changed. Without `since`, since the
  // cycle before the current one began.
  virtual Status query(std::span<const std::string> paths, std::optional<CycleId> since,
                       std::vector<std::uint8_t>& answers) = 0;
  // Returns once all that was marked before the call is in the filters.
  virtual Status barrier() = 0;
  // A copy of all cycles, for callers that ask about many paths; later marks are not in it.
  // kUnsupported unless the mode is adaptive.
  virtual Result<History> snapshot() = 0;
  virtual Result<TrackerStatus> status() = 0;
  // What proves that no change is missing, and since when.
  virtual Result<Coverage> coverage();
  virtual Result<std::vector<std::string>> roots() = 0;
  virtual Status close() = 0;  // saves; nothing may be called after it
};

struct ClientOptions {
  TrackerOptions tracker;   // its folder and, for a new state, its settings; without threads
  bool must_exist = false;  // kIo instead of a new state
};

}  // namespace bloomery::tracker
