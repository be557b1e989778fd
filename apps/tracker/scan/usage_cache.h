// What a scan learned of a tree, kept for the next one: the file usage-*.bloomery. Its bytes are in
// docs/formats/usage_cache.md.
#pragma once
#include <filesystem>
#include <string>

#include "apps/tracker/scan/folder_reader.h"
#include "apps/tracker/scan/usage_record.h"
#include "apps/tracker/state/cycle.h"

namespace bloomery::tracker {

inline constexpr std::size_t kMostScanCycles = 64;  // scans in a row that did not come to their end

// Which cycle a scan began. A folder names the scan that saw it, so that a cycle's token stands
// once.
struct ScanCycle {
  std::uint64_t scan = 0;
  CycleId cycle;
  friend bool operator==(const ScanCycle&, const ScanCycle&) = default;
};

// How far the sweep is that reads everything once in a while.
struct SweepState {
  std::uint64_t step = 0;  // scans of this round that came to their end
  bool begun = false;      // a folder was swept in this round, and `last` is the last
  std::string last = {};   // its path below the root
  friend bool operator==(const SweepState&, const SweepState&) = default;
};

struct UsageCache {
  // Whose it is: another tree, or the same with other rules, needs another cache.
  std::string root = {};  // absolute, without symbolic links
  std::string key = {};   // the clean path that the tracker knows it by
  bool one_file_system = false;
  bool minio_rules = false;

  std::uint64_t scan = 0;       // the last one; counts those that did not come to their end too
  std::uint64_t full_from = 0;  // a scan of everything that began with this one is not done
  std::int64_t saved_unix = 0;
  std::vector<ScanCycle> cycles = {};  // by scan; none older than the root's
  SweepState sweep = {};
  // Files of which not every name lies in the tree, as the last scan that came to its end found
  // them: in order, with how many names are missing.
  std::vector<LinkedFile> elsewhere = {};
  std::vector<std::byte> body = {};  // the root's record

  // Precondition: the cache was decoded, or is of a scan.
  FolderRecord root_record() const { return *read_record(body); }
  CycleId cycle_of(std::uint64_t of_scan) const;  // {0} if it is not known
  bool is_same_tree(const UsageCache& other) const;
};

// Without the body: whose cache it is. Looks at the header's bytes only.
Result<UsageCache> decode_usage_header(ByteView bytes);

// Header and body, in this order.
std::vector<std::byte> encode_usage_header(const UsageCache& cache);
// Takes all the bytes. Checks every length against them before it allocates. Records but the root's
// are checked when they are read.
Result<UsageCache> decode_usage_cache(ByteView bytes, DecodeLimits limits);

Result<UsageCache> load_usage_cache(const std::filesystem::path& path, DecodeLimits limits);
// Replaces the file in one step.
Status save_usage_cache(const std::filesystem::path& path, const UsageCache& cache);

}  // namespace bloomery::tracker
