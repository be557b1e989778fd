#include "apps/tracker/state/change_log.h"

#include "apps/tracker/state/paths.h"

namespace bloomery::tracker {

ChangeLog::ChangeLog() : recent_{std::make_unique<std::array<Hash128, kRecent>>()} {}

// All zero stands for an empty place: a folder that hashes to it is merely never remembered.
bool ChangeLog::recently(Hash128 folder) const {
  return (*recent_)[folder.high % kRecent] == folder && folder != Hash128{};
}

void ChangeLog::remember(Hash128 folder) { (*recent_)[folder.high % kRecent] = folder; }

void ChangeLog::add(CycleFilter& filter, Hash128 key) {
  batch_[batched_++] = key;
  if (batched_ == kBatch) flush(filter);
}

// A remembered folder was added with everything above it, so the way up ends there.
void ChangeLog::mark(CycleFilter& filter, std::string_view clean) {
  if (filter.everything()) return;
  add(filter, path_digest(clean));
  while (!clean.empty()) {
    clean = parent_of(clean);
    const Hash128 folder = path_digest(clean);
    if (recently(folder)) return;
    add(filter, folder);
    remember(folder);
  }
}

void ChangeLog::flush(CycleFilter& filter) {
  filter.insert_batch(std::span<const Hash128>{batch_}.first(batched_));
  batched_ = 0;
}

void ChangeLog::forget() {
  assert(batched_ == 0);
  recent_->fill({});
}

}  // namespace bloomery::tracker
