// The walk of a scan through a tree: reads what may have changed, and copies the rest from the
// cache. No files but the folders, no threads, no output.
#pragma once
#include <chrono>
#include <functional>

#include "apps/tracker/scan/folder_reader.h"
#include "apps/tracker/scan/scan_plan.h"

namespace bloomery::tracker {

struct ScanCounts {
  std::uint64_t read = 0;        // folders that were read
  std::uint64_t from_cache = 0;  // that were taken from the cache
  std::uint64_t changed = 0;     // of those read: known, and may have changed
  std::uint64_t added = 0;       // of those read: not known before
  std::uint64_t swept = 0;       // of those read: only because it was their turn
  std::uint64_t unmarked = 0;    // of those swept: they had changed without a mark
  std::uint64_t unreadable = 0;  // not, or not wholly
};

struct ScanProblem {
  std::string path;  // below the root
  std::string what;
};
inline constexpr std::size_t kMostScanProblems = 1000;  // that are listed; all are counted

struct ScanHooks {
  // Before each folder that is read, with the number of known folders that are done. False ends the
  // scan: what was read stays.
  std::function<bool(const ScanCounts& counts, std::uint64_t known_done)> before_read = {};
  // Now and then, so that a scan that is killed need not begin anew.
  std::function<void(UsageCache& so_far)> checkpoint = {};  // what it is given is its own
  std::chrono::steady_clock::duration checkpoint_every = std::chrono::seconds{30};
  int checkpoint_pause = 20;  // but so many times as long as one took: it must not become the work
};

struct ScanResult {
  UsageCache cache;  // for the next scan; whose tree it is, is for the caller to say
  ScanCounts counts;
  std::vector<ScanProblem> problems;
  bool complete = false;  // false: a hook ended it
};

// Precondition: frame.known, if there, is of this tree. kIo if there is no root.
Result<ScanResult> scan_tree(FolderReader& reader, const ChangeSource& source,
                             std::string_view root_key, const ScanRules& rules,
                             const ScanFrame& frame, const ScanHooks& hooks);

}  // namespace bloomery::tracker
