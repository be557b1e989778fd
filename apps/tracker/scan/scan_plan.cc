#include "apps/tracker/scan/scan_plan.h"

#include <algorithm>

#include "bloomery/hash/xxh.h"

namespace bloomery::tracker {
namespace {

// MinIO keeps no folders below these, and treats them as one.
constexpr std::uint64_t kMinioFewObjects = 500;

bool is_minio_leaf(const FolderRecord& folder) {
  if (folder.total.objects < kMinioFewObjects) return true;
  std::vector<ChildRecord> children;
  if (!read_children(folder.children, children)) return false;
  return std::ranges::all_of(children, [](const ChildRecord& child) {
    const auto record = read_record(child.all);
    return record && record->folders == 1 && record->total.objects <= 1;
  });
}

}  // namespace

bool minio_turn(std::string_view key, std::uint64_t cycle, std::uint64_t n) {
  if (n <= 1) return n == 1;
  return static_cast<std::uint32_t>(xxh64(bytes_of(key))) % n ==
         static_cast<std::uint32_t>(cycle) % n;
}

std::uint64_t ScanPlan::seen_by(const FolderRecord& folder, std::uint64_t above) const {
  if (folder.scan <= above || frame_.known->cycle_of(folder.scan).index == 0) return above;
  return folder.scan;
}

Decision ScanPlan::decide(const FolderRecord& folder, std::string_view key, std::uint64_t seen,
                          bool sweep, bool sweep_below) const {
  if (folder.due || seen < frame_.full_from) return {Visit::kRead, true};
  if (rules_.minio_exact) return decide_as_minio(folder, key);
  if (folder.linked || source_.may_have_changed(key, frame_.known->cycle_of(seen)))
    return {Visit::kRead, true};
  if (sweep) return {Visit::kRead, false};
  const bool some_below = folder.due_below || folder.linked_below || sweep_below;
  return {some_below ? Visit::kDescend : Visit::kFromCache, false};
}

// Its mistakes are its own: a change is seen when it is the folder's turn, up to n cycles later.
Decision ScanPlan::decide_as_minio(const FolderRecord& folder, std::string_view key) const {
  if (folder.name.empty() || folder.due_below || !is_minio_leaf(folder))
    return {Visit::kRead, true};
  if (!minio_turn(key, frame_.cycle.index, rules_.sweep)) return {Visit::kFromCache, false};
  // It asks for sixteen cycles; before there are as many, it has no filter and reads everything.
  const CycleId since{frame_.cycle.index > kCyclesKept ? frame_.cycle.index - kCyclesKept : 0, 0};
  if (since.index == 0 || source_.may_have_changed(key, since)) return {Visit::kReadAll, true};
  return {Visit::kFromCache, false};
}

}  // namespace bloomery::tracker
