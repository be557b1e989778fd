#include "bloomery/formats/minio_tracker.h"

#include <algorithm>

#include "bloomery/formats/minio_paths.h"

namespace bloomery {
namespace {

void sort_newest_first(std::vector<MinioCycle>& history) {
  std::ranges::stable_sort(history, std::ranges::greater{}, &MinioCycle::index);
}

}  // namespace

MinioCycle empty_minio_cycle(std::uint64_t index) {
  MinioCycle cycle{index, MinioFilter{.filter = ClassicFilter<BitsAndBlooms>{kMinioShape},
                                      .bitset_length = kMinioShape.bits}};
  cycle.filter.filter.set_provenance({.goal = kMinioGoal});
  return cycle;
}

bool MinioCycle::contains_dir(std::string_view path) const {
  const auto key = minio_dir_key(path);
  return key && filter.may_contain(bytes_of(*key));
}

MinioTracker MinioTracker::starting_at(std::uint64_t index) {
  return {.current = empty_minio_cycle(index)};
}

void MinioTracker::mark_dirty(std::string_view bucket, std::string_view prefix,
                              MinioBuckets buckets) {
  if (buckets == MinioBuckets::kUsableOnly && !minio_bucket_is_usable(bucket)) return;
  for (const std::string& key : minio_dirty_keys(bucket, prefix))
    current.filter.insert(bytes_of(key));
  dirty = true;
}

const MinioCycle* MinioTracker::find_cycle(std::uint64_t index) const {
  const auto found = std::ranges::find(history, index, &MinioCycle::index);
  if (found != history.end()) return &*found;
  return index == current.index ? &current : nullptr;
}

// The peer walks every number from oldest to newest; only those that exist matter, and the highest
// missing one, for it moves oldest_index up.
MinioCycleAnswer MinioTracker::filter_from(std::uint64_t oldest, std::uint64_t newest) const {
  MinioCycleAnswer answer{current.index, oldest, 0, true, empty_minio_cycle(0).filter};
  answer.filter->filter.set_provenance({.goal = kMinioGoal, .keys_inserted = std::nullopt});
  std::vector<std::uint64_t> present{current.index};
  for (const MinioCycle& cycle : history) present.push_back(cycle.index);
  std::ranges::sort(present);
  present.erase(std::unique(present.begin(), present.end()), present.end());

  std::uint64_t expected = oldest;  // the lowest number not yet accounted for
  const auto missing_before = [&](std::uint64_t end) {
    if (expected >= end) return;
    answer.complete = false;
    answer.oldest_index = end;
  };
  for (const std::uint64_t index : present) {
    if (index < oldest || index > newest) continue;
    missing_before(index);
    expected = index + 1;
    const MinioCycle& cycle = *find_cycle(index);
    if (&cycle != &current) answer.newest_index = index;
    if (!answer.filter->merge(cycle.filter)) answer.complete = false;
  }
  // A newest of 2^64 - 1 that is missing has no number after it; the peer would never end.
  if (oldest <= newest && newest != UINT64_MAX) missing_before(newest + 1);
  return answer;
}

std::uint64_t MinioTracker::latest_with_dir(std::string_view dir) const {
  if (!minio_bucket_is_usable(minio_bucket_of(dir))) return current.index;
  if (current.index == 0 || current.contains_dir(dir)) return current.index;
  std::uint64_t index = current.index - 1;
  for (; index != 0; --index) {
    const auto cycle = std::ranges::find(history, index, &MinioCycle::index);
    if (cycle == history.end() || cycle->contains_dir(dir)) break;
  }
  return index;
}

MinioCycleAnswer MinioTracker::cycle_filter(const MinioCycleRequest& request) {
  if (!request.oldest_clean.empty())
    return {.oldest_index = latest_with_dir(request.oldest_clean), .filter = std::nullopt};
  if (request.current == 0) {
    if (history.empty()) return filter_from(current.index, current.index);
    sort_newest_first(history);
    const std::uint64_t oldest = request.oldest == 0 ? history.back().index : request.oldest;
    return filter_from(oldest, current.index);
  }
  if (request.current != current.index) {
    history.push_back(std::exchange(current, empty_minio_cycle(request.current)));
    dirty = true;
  }
  sort_newest_first(history);
  std::erase_if(history, [&](const MinioCycle& cycle) { return cycle.index < request.oldest; });
  return filter_from(request.oldest, request.current);
}

std::optional<std::uint64_t> MinioTracker::newest_cycle_with(std::string_view path) const {
  std::optional<std::uint64_t> newest;
  const auto ask = [&](const MinioCycle& cycle) {
    if ((!newest || cycle.index > *newest) && cycle.contains_dir(path)) newest = cycle.index;
  };
  ask(current);
  std::ranges::for_each(history, ask);
  return newest;
}

bool MinioTracker::may_contain(ByteView key) const {
  return current.filter.may_contain(key) || std::ranges::any_of(history, [&](const auto& cycle) {
           return cycle.filter.may_contain(key);
         });
}

void MinioTracker::may_contain_batch(std::span<const ByteView> keys,
                                     std::span<std::uint8_t> answers) const {
  current.filter.filter.may_contain_batch(keys, answers);
  std::vector<std::uint8_t> older(history.empty() ? 0 : keys.size());
  for (const MinioCycle& cycle : history) {
    cycle.filter.filter.may_contain_batch(keys, older);
    for (std::size_t i = 0; i < keys.size(); ++i) answers[i] |= older[i];
  }
}

MinioTracker MinioTracker::clone() const {
  MinioTracker copy{saved_unix, current.clone(), {}, trailing_bytes, dirty};
  for (const MinioCycle& cycle : history) copy.history.push_back(cycle.clone());
  return copy;
}

std::optional<std::size_t> choose_minio_tracker(std::span<const Result<MinioTracker>> drives,
                                                MinioLoad rule) {
  constexpr std::int64_t kGoZeroTime = -62135596800;  // the year 1, which the peer compares with
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < drives.size(); ++i) {
    if (!drives[i]) continue;
    const std::int64_t than =
        rule == MinioLoad::kNewest && chosen ? drives[*chosen]->saved_unix : kGoZeroTime;
    if (drives[i]->saved_unix > than) chosen = i;
  }
  return chosen;
}

}  // namespace bloomery
