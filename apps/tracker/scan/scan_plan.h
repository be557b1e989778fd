// Decides what a scan does with a known folder: read it, descend into it, or take it from the
// cache. The one place with the rules.
#pragma once
#include "apps/tracker/scan/sweep.h"
#include "apps/tracker/state/change_source.h"

namespace bloomery::tracker {

inline constexpr std::uint64_t kSweepEvery = 512;
inline constexpr std::uint64_t kMinioSweepEvery = 16;

struct ScanRules {
  bool full = false;                  // read everything
  bool minio_exact = false;           // as MinIO's scanner did: see decide_as_minio()
  std::uint64_t sweep = kSweepEvery;  // everything is read once in so many scans; 0: never
};

// This scan, and what the ones before it left.
struct ScanFrame {
  std::uint64_t scan = 1;             // its number
  CycleId cycle;                      // that it began
  std::uint64_t full_from = 0;        // what no scan from this one on saw is read
  const UsageCache* known = nullptr;  // null: nothing
  std::uint64_t root_identity = 0;    // another number: another folder under the root's name
};

enum class Visit : std::uint8_t {
  kFromCache,  // unchanged with all below it: taken from the cache
  kDescend,    // unchanged, but folders below it may have changed
  kRead,
  kReadAll,  // and everything below it
};

struct Decision {
  Visit visit = Visit::kRead;
  bool changed = true;  // marked, or not known
};

class ScanPlan {
 public:
  // Both must outlive it.
  ScanPlan(const ScanRules& rules, const ScanFrame& frame, const ChangeSource& source)
      : rules_{rules}, frame_{frame}, source_{source} {}

  // Of a folder whose record is known. `seen`: the last scan that saw it and all below it, see
  // seen_by(). `sweep`: the sweep reads it in this scan. `sweep_below`: the sweep may read folders
  // below it.
  Decision decide(const FolderRecord& folder, std::string_view key, std::uint64_t seen, bool sweep,
                  bool sweep_below) const;

  // What a record says, or what one above it says, if that was later.
  std::uint64_t seen_by(const FolderRecord& folder, std::uint64_t above) const;

 private:
  Decision decide_as_minio(const FolderRecord& folder, std::string_view key) const;

  const ScanRules& rules_;
  const ScanFrame& frame_;
  const ChangeSource& source_;
};

// Whether it is this path's turn in that cycle: MinIO's way to spread a round over n cycles.
bool minio_turn(std::string_view key, std::uint64_t cycle, std::uint64_t n);

}  // namespace bloomery::tracker
