// The sweep: folders that were not marked are read all the same, a share in each scan, so that
// every folder is read once in a round of N scans. It goes through the tree in the order of names
// and keeps its place as a path: folders that come or go meanwhile move no folder past it.
#pragma once
#include <vector>

#include "apps/tracker/scan/usage_cache.h"

namespace bloomery::tracker {

class Sweep {
 public:
  // Where a folder lies, seen from the last one that was swept.
  enum class Side : std::uint8_t {
    kBehind,    // it and all below it were swept
    kOnTheWay,  // it was, but the last one is it or lies below it
    kAhead,     // neither it nor anything below it was
  };

  // `every` N scans; 0 for never. `known`: what the last scan left; the sweep takes its share of
  // it.
  Sweep(std::uint64_t every, SweepState state, const FolderRecord& known);
  Sweep() = default;  // nothing is swept

  Side root_side() const { return state_.begun ? Side::kOnTheWay : Side::kAhead; }
  // Of a folder in one of that depth (the root's is 0) and side.
  Side side_of(Side above, std::size_t depth, std::string_view name) const;

  bool wants(Side side) const { return share_ > 0 && side == Side::kAhead; }
  bool wants_below(Side side) const { return share_ > 0 && side != Side::kBehind; }
  // It was read. Precondition: wants(side) was true of it, and all before it are swept. A folder
  // that is new is no part of the share.
  void passed(std::string_view below_root, bool is_new);

  SweepState interrupted() const { return state_; }
  SweepState done() const;  // the scan came to its end

 private:
  std::uint64_t every_ = 0;
  SweepState state_;
  std::vector<std::string> way_;  // the names of state_.last, as it was in the beginning
  std::uint64_t share_ = 0;       // folders that are still to be read in this scan
};

}  // namespace bloomery::tracker
