// The status of a tracker, for people and --json.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/tracker/state/cycle.h"

namespace bloomery::tracker {

struct CycleStatus {
  CycleId id;
  std::int64_t started_unix = 0;  // 0 where the file does not say
  std::optional<std::uint64_t> keys = {};
  std::size_t layers = 1;
  std::size_t bytes = 0;
  Health health{};
  std::string everything = {};          // the reason, if everything may have changed
  std::vector<std::string> below = {};  // subtrees that may have changed as a whole
};

// A part of the watched tree whose changes the watcher does not see: it may have changed in every
// cycle.
struct UnseenSubtree {
  std::string path;
  std::string reason;
  friend bool operator==(const UnseenSubtree&, const UnseenSubtree&) = default;
};

// What the watcher that owns a tracker says of itself.
struct WatchStatus {
  std::string backend;  // "fanotify", "inotify", "fanotify and inotify"; "none" without roots
  std::int64_t process = 0;
  std::int64_t started_unix = 0;
  std::uint64_t watches = 0;    // folders, or filesystems
  std::uint64_t events = 0;     // of the kernel
  std::uint64_t changes = 0;    // marks that came of them
  std::uint64_t overflows = 0;  // of a queue: each made a cycle "everything"
  std::uint64_t backlog_bytes = 0;
  std::uint64_t barriers = 0;
  std::uint64_t late_barriers = 0;  // that gave up waiting, and made the cycle "everything"
  std::uint64_t requests = 0;       // of commands
  std::uint64_t unseen_count = 0;
  std::vector<UnseenSubtree> unseen = {};  // the first of them
};

struct TrackerStatus {
  std::string mode;  // adaptive, minio, minio-exact
  double rate = 0;   // wanted
  std::uint64_t knows_from = 0;
  std::vector<CycleStatus> cycles = {};  // the current one first
  std::uint64_t marks = 0;               // since this session began
  std::uint64_t lost_marks = 0;          // that did not fit into the queue
  std::int64_t saved_unix = 0;
  bool dirty = false;
  bool session_open = false;
  bool watched = false;
  bool marks_only = false;
  std::string gap = {};  // why changes may be missing from the current cycle; empty: see its own
  std::int64_t heartbeat_unix = 0;  // 0: none
  std::vector<std::string> roots = {};
  std::vector<std::string> drives = {};
  std::size_t copies = 0;                  // valid ones that were found, or written last
  std::vector<std::string> problems = {};  // copies that could not be read or written
  std::optional<WatchStatus> watch = {};   // from a watcher that is alive
};

}  // namespace bloomery::tracker
