// Source of change information for a scan: the cycles of one tracker, or of several servers.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "apps/tracker/state/tracker.h"

namespace bloomery::tracker {

class ChangeSource {
 public:
  ChangeSource() = default;
  ChangeSource(const ChangeSource&) = delete;
  ChangeSource& operator=(const ChangeSource&) = delete;
  virtual ~ChangeSource() = default;

  // Whether the clean path, or anything below it, may have changed since that cycle began; yes for
  // {0}.
  virtual bool may_have_changed(std::string_view clean, CycleId since) const = 0;
  // Why it says yes to every path since that cycle; empty if it does not. For people.
  virtual std::string gap_since(CycleId since) const = 0;
  // The cycle as a cache remembers it: no cycle of another state is taken for it.
  virtual CycleId stamped(CycleId cycle) const { return cycle; }
};

// Where nothing is proven: every path may have changed.
class UnprovenSource final : public ChangeSource {
 public:
  UnprovenSource(std::string gap, std::unique_ptr<ChangeSource> inner)
      : gap_{std::move(gap)}, inner_{std::move(inner)} {}
  bool may_have_changed(std::string_view, CycleId) const override { return true; }
  std::string gap_since(CycleId) const override { return gap_; }
  CycleId stamped(CycleId cycle) const override { return inner_->stamped(cycle); }

 private:
  std::string gap_;
  std::unique_ptr<ChangeSource> inner_;
};

// A tracker's cycles, as they were when they were taken.
class HistorySource final : public ChangeSource {
 public:
  explicit HistorySource(History history) : history_{std::move(history)} {}
  bool may_have_changed(std::string_view clean, CycleId since) const override {
    return history_.may_have_changed(clean, since);
  }
  std::string gap_since(CycleId since) const override;

 private:
  History history_;
};

// MinIO's file, which has filters of its own kind.
class MinioSource final : public ChangeSource {
 public:
  // Precondition: it is in one of MinIO's modes.
  explicit MinioSource(std::unique_ptr<Tracker> tracker) : tracker_{std::move(tracker)} {}
  bool may_have_changed(std::string_view clean, CycleId since) const override;
  std::string gap_since(CycleId since) const override;
  CycleId stamped(CycleId cycle) const override { return {cycle.index, tracker_->epoch()}; }

 private:
  // A cycle of the same number, of a state that was lost since.
  bool is_of_another_state(CycleId since) const {
    return tracker_->mode() == Mode::kMinioNewest && since.token != tracker_->epoch();
  }
  std::unique_ptr<Tracker> tracker_;
};

}  // namespace bloomery::tracker
