// Turns changed paths into keys of the current cycle: the path and every folder above it, without
// adding again what was added a moment ago.
#pragma once
#include <array>
#include <memory>

#include "apps/tracker/state/cycle_filter.h"

namespace bloomery::tracker {

// One writer. It writes to one filter at a time; a new one makes it forget what it added.
class ChangeLog {
 public:
  ChangeLog();
  // Precondition: the path is clean.
  void mark(CycleFilter& filter, std::string_view clean);
  // Keys wait in a batch: after this they are in the filter.
  void flush(CycleFilter& filter);
  // Another filter comes next. Precondition: flushed.
  void forget();

 private:
  bool recently(Hash128 folder) const;
  void remember(Hash128 folder);
  void add(CycleFilter& filter, Hash128 key);

  static constexpr std::size_t kRecent = 8192;  // folders; a power of two
  static constexpr std::size_t kBatch = 256;
  std::unique_ptr<std::array<Hash128, kRecent>> recent_;
  std::array<Hash128, kBatch> batch_;
  std::size_t batched_ = 0;
};

}  // namespace bloomery::tracker
