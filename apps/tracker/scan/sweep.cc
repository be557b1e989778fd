#include "apps/tracker/scan/sweep.h"

#include <algorithm>

namespace bloomery::tracker {
namespace {

std::vector<std::string> names_of(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    names.emplace_back(path.substr(0, slash));
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return names;
}

// How many of the known folders come up to and with the last one.
std::uint64_t folders_up_to(FolderRecord folder, const std::vector<std::string>& way) {
  std::uint64_t count = 1;
  for (const std::string& name : way) {
    std::vector<ChildRecord> children;
    if (!read_children(folder.children, children)) return count;
    std::optional<FolderRecord> next;
    for (const ChildRecord& child : children) {
      if (child.name > name) break;
      const auto record = read_record(child.all);
      if (!record) return count;
      if (child.name == name) {
        next = record;
        break;
      }
      count += record->folders;
    }
    if (!next) return count;  // it is gone: those before it are all there are
    ++count;
    folder = *next;
  }
  return count;
}

}  // namespace

Sweep::Sweep(std::uint64_t every, SweepState state, const FolderRecord& known)
    : every_{every}, state_{std::move(state)} {
  if (every_ == 0) return;
  state_.step = std::min(state_.step, every_ - 1);  // the rounds were longer before
  way_ = names_of(state_.last);
  const std::uint64_t behind = state_.begun ? folders_up_to(known, way_) : 0;
  const std::uint64_t ahead = known.folders - std::min(known.folders, behind);
  const std::uint64_t scans = every_ - state_.step;
  share_ = ahead / scans + (ahead % scans != 0 ? 1 : 0);
}

Sweep::Side Sweep::side_of(Side above, std::size_t depth, std::string_view name) const {
  if (above != Side::kOnTheWay) return above;
  if (depth >= way_.size() || name > way_[depth]) return Side::kAhead;
  return name == way_[depth] ? Side::kOnTheWay : Side::kBehind;
}

void Sweep::passed(std::string_view below_root, bool is_new) {
  state_.begun = true;
  state_.last = below_root;
  if (!is_new) --share_;
}

SweepState Sweep::done() const {
  SweepState next = state_;
  if (every_ == 0) return next;
  return ++next.step >= every_ ? SweepState{} : next;
}

}  // namespace bloomery::tracker
