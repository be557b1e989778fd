#include "apps/tracker/state/minio_exact.h"

#include <algorithm>

#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

MinioTracker chosen_of(std::vector<Result<MinioTracker>>& drives, MinioLoad rule) {
  const auto chosen = choose_minio_tracker(drives, rule);
  if (!chosen) return MinioTracker::starting_at();
  return std::move(*drives[*chosen]);
}

}  // namespace

MinioExact MinioExact::load(const Copies& copies, MinioLoad rule, DecodeLimits limits,
                            std::vector<Error>* problems) {
  std::vector<Result<MinioTracker>> drives;
  for (const auto& bytes : copies.read(limits)) {
    if (!bytes) {
      drives.emplace_back(bytes.error());
    } else {
      auto decoded = decode_minio_tracker(*bytes, {.limits = limits});
      drives.push_back(std::move(decoded));
    }
  }
  for (std::size_t i = 0; problems != nullptr && i < drives.size(); ++i)
    if (!drives[i])
      problems->push_back({drives[i].error().code,
                           message(copies.folders[i].string(), ": ", drives[i].error().message)});
  return MinioExact{chosen_of(drives, rule)};
}

void MinioExact::mark(std::string_view bucket, std::string_view path) {
  tracker_.mark_dirty(bucket, path);
}

void MinioExact::flag_everything() {
  auto& filter = tracker_.current.filter.filter;
  const ByteSpan bytes = filter.bytes();
  const std::uint64_t bits = filter.size_bits();
  for (std::uint64_t byte = 0; byte < bits / 8; ++byte) bytes[byte] = std::byte{0xff};
  if (bits % 8 != 0) bytes[bits / 8] = static_cast<std::byte>((1U << bits % 8) - 1);
  tracker_.dirty = true;
}

CycleAnswer MinioExact::cycle(const CycleRequest& request) {
  const MinioCycleAnswer answer =
      tracker_.cycle_filter({request.oldest, request.current, request.oldest_clean});
  return {.current = {tracker_.current.index, 0},
          .oldest = answer.oldest_index,
          .newest = answer.newest_index,
          .complete = answer.complete,
          .knows_from = answer.oldest_index};
}

bool MinioExact::may_have_changed(std::string_view path, std::uint64_t since) const {
  const std::uint64_t newest = tracker_.current.index;
  if (since == 0) return tracker_.newest_cycle_with(path).has_value();
  // Walks down only as far as there are cycles: the first that is missing ends it.
  for (std::uint64_t index = newest;; --index) {
    const MinioCycle* cycle = tracker_.find_cycle(index);
    if (cycle == nullptr || cycle->contains_dir(path)) return true;
    if (index <= since) return since > newest;
  }
}

std::vector<std::byte> MinioExact::encode(std::int64_t now_unix) {
  tracker_.saved_unix = now_unix;
  tracker_.dirty = false;
  return encode_minio_tracker(tracker_);
}

}  // namespace bloomery::tracker
