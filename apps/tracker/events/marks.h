// The step from a watcher's back ends to the tracker: changed paths become marks.
#pragma once
#include <atomic>
#include <filesystem>
#include <mutex>

#include "apps/tracker/events/below.h"
#include "apps/tracker/state/tracker.h"

namespace bloomery::tracker {

// One thread tells of changes; cycle_began and flag_below may be called from others.
class WatchMarks {
 public:
  // The tracker's own files in `folder` and in the drives are no changes of the tree.
  WatchMarks(Tracker& tracker, const std::filesystem::path& folder,
             const std::vector<std::string>& drives);

  // Clean paths, as the tracker's keys are: without the slash in front.
  void changed(std::string_view path);
  void changed_below(std::string_view path);
  void everything(std::string_view reason);

  // Subtrees are few in each cycle, not in all together.
  void cycle_began();
  std::uint64_t changes() const { return changes_.load(std::memory_order_relaxed); }

 private:
  bool is_own(std::string_view path) const;

  Tracker& tracker_;
  std::string state_;                // clean
  std::vector<std::string> drives_;  // clean
  std::string last_;                 // what was marked last, if nothing happened since
  std::atomic<bool> last_counts_ = false;
  std::atomic<std::uint64_t> changes_ = 0;
  std::mutex below_mutex_;
  WatchBelow below_;
};

}  // namespace bloomery::tracker
