// A scan from beginning to end: the tracker begins a cycle and says what it knows, the tree is
// walked, and the cache is kept for the next one.
#pragma once
#include "apps/tracker/scan/disk_folder_reader.h"
#include "apps/tracker/scan/scanner.h"
#include "apps/tracker/watch/tracker_client.h"

namespace bloomery::tracker {

// What is scanned, and what the tracker calls it.
struct ScanTarget {
  std::string root;  // absolute, without symbolic links
  std::string key;   // clean
};

// With watched roots, the folder must lie in one of them, symbolic links resolved: nobody sees
// changes elsewhere. Without them, paths below the folder are keys as they are, below `prefix` if
// there is one.
Result<ScanTarget> scan_target(const std::filesystem::path& folder,
                               const std::vector<std::string>& roots,
                               const std::optional<std::string>& prefix);

// One for each tree, beside the tracker's own files.
std::filesystem::path usage_cache_path(const std::filesystem::path& state, std::string_view root);

struct ScanRequest {
  std::filesystem::path folder;
  AccessOptions access;
  TrackerAccess* reached = nullptr;  // in place of `access`: a fleet's, which the caller closes
  std::optional<std::string> prefix = {};
  ScanRules rules = {};
  bool one_file_system = false;
  ScanHooks hooks = {};
  std::function<void(std::uint64_t known_folders)> starts = {};
};

struct ScanReport {
  ScanTarget target;
  CycleId cycle;
  Coverage coverage;  // when the scan began
  ScanResult result;
  std::string all_read_because = {};  // empty: the cache and the tracker were of use
  bool state_within = false;          // the state lies in the tree: it changes with every scan
};

// Saves the cache, also of a scan that a hook ended. kIo when another scan of this tree runs.
Result<ScanReport> run_scan(const ScanRequest& request);

}  // namespace bloomery::tracker
