// A scan from beginning to end: the tracker begins a cycle and reports what it knows, the scan
// walks the tree and saves the cache for the next one.
#pragma once
#include "apps/tracker/scan/disk_folder_reader.h"
#include "apps/tracker/scan/scanner.h"
#include "apps/tracker/state/state_files.h"
#include "apps/tracker/state/tracker_client.h"

namespace bloomery::tracker {

// What is scanned, and what the tracker calls it.
struct ScanTarget {
  std::string root;  // absolute, without symbolic links
  std::string key;   // clean
};

// With watched roots, the folder must lie in one of them, symbolic links resolved: the watcher sees
// no changes elsewhere. Without them, paths below the folder are keys as they are, below `prefix`
// if there is one.
Result<ScanTarget> scan_target(const std::filesystem::path& folder,
                               const std::vector<std::string>& roots,
                               const std::optional<std::string>& prefix);

// One for each tree, beside the tracker's own files.
std::filesystem::path usage_cache_path(const std::filesystem::path& state, std::string_view root);

struct ScanRequest {
  std::filesystem::path folder;
  ClientOptions client;  // where the state is, also of a fleet's scan
  std::optional<std::string> prefix = {};
  ScanRules rules = {};
  bool one_file_system = false;
  ScanHooks hooks = {};
  std::function<void(std::uint64_t known_folders)> starts = {};
};

// What a scan needs of the tracker and of its own files.
struct ScanSetup {
  ScanTarget target;
  std::filesystem::path cache;
  StateLock lock;  // of the cache: one scan of a tree at a time
  CycleId cycle;
  Coverage coverage;
  std::unique_ptr<ChangeSource> source;
};

struct ScanReport {
  ScanTarget target;
  CycleId cycle;
  Coverage coverage;  // when the scan began
  ScanResult result;
  std::string all_read_because = {};  // empty: the cache and the tracker were of use
  bool state_within = false;          // the state lies in the tree: it changes with every scan
};

// Begins a cycle. The tracker may be closed afterwards. kIo when another scan of this tree runs.
Result<ScanSetup> begin_scan(const ScanRequest& request, TrackerClient& tracker);
// Walks the tree and saves the cache, also when a hook ended the scan.
Result<ScanReport> run_scan(const ScanRequest& request, ScanSetup setup);

}  // namespace bloomery::tracker
