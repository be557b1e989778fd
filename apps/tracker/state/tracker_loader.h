// Loads tracker state and records what was lost.
#pragma once
#include "apps/tracker/state/seal.h"
#include "apps/tracker/state/tracker_model.h"

namespace bloomery::tracker {

struct LoadedTracker {
  TrackerModel model;
  Mode mode;
  Copies copies;                           // where it is saved
  std::size_t valid_copies = 0;            // that were found
  std::vector<std::string> problems = {};  // of the other copies
  bool is_new = false;                     // there was no state
  bool is_changed = false;                 // by the options: it is to be saved
  std::string gap = {};     // why changes may be missing from the current cycle; empty: none
  std::uint64_t epoch = 0;  // of the seal: another one where something may have been lost
  bool marks_only = false;  // of MinIO's file, where the seal says it
};

// The newest valid copy of all drives, or a new state. kInvalidArgument for options that contradict
// each other or the folder. Copies that cannot be read are no error: they are named in `problems`.
Result<LoadedTracker> load_tracker(const TrackerOptions& options, std::int64_t now_unix);

}  // namespace bloomery::tracker
