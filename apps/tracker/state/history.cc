#include "apps/tracker/state/history.h"

#include <algorithm>
#include <bit>

#include "apps/tracker/state/paths.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

// A cycle is probably much like the one before it: half of that goes into its first layer, so that
// two hold it and a quiet time has small filters again.
CycleGoal next_goal(CycleGoal goal, const CycleFilter& finished) {
  if (finished.everything()) return finished.goal();
  const std::uint64_t half = std::bit_ceil(std::max<std::uint64_t>(finished.keys(), 2)) / 2;
  goal.first_keys = std::clamp(half, goal.first_keys, kMostFirstKeys);
  return goal;
}

}  // namespace

History History::starting_at(CycleId id, std::int64_t now_unix, CycleGoal goal,
                             std::string_view reason) {
  Cycle first{id, now_unix, CycleFilter{goal}};
  first.filter.flag_everything(reason);
  return {std::move(first), {}, goal};
}

History::History(Cycle current, std::vector<std::shared_ptr<const Cycle>> past, CycleGoal goal,
                 std::uint32_t kept)
    : current_{std::move(current)}, past_{std::move(past)}, goal_{goal}, kept_{kept} {
  assert(std::ranges::is_sorted(
      past_, [](const auto& a, const auto& b) { return a->id.index > b->id.index; }));
}

Status History::begin(CycleId id, std::int64_t now_unix) {
  if (id.index == current_.id.index) return ok();
  if (id.index < current_.id.index)
    return Error{ErrorCode::kInvalidArgument,
                 message("cycle ", id.index, " cannot begin: the tracker is at ", current_.id.index,
                         " already, and numbers do not come again")};
  Cycle next{id, now_unix, CycleFilter{next_goal(goal_, current_.filter)}};
  past_.insert(past_.begin(),
               std::make_shared<const Cycle>(std::exchange(current_, std::move(next))));
  if (past_.size() > kept_) past_.resize(kept_);
  return ok();
}

// A cycle lasts until the next one begins, so the newest that began before `oldest` is kept if none
// began with it.
void History::forget_before(std::uint64_t oldest) {
  std::uint64_t successor = current_.id.index;
  for (auto cycle = past_.begin(); cycle != past_.end(); ++cycle) {
    if ((*cycle)->id.index < oldest && successor <= oldest) {
      past_.erase(cycle, past_.end());
      return;
    }
    successor = (*cycle)->id.index;
  }
}

std::uint64_t History::knows_from() const {
  if (current_.filter.everything()) return current_.id.index + 1;
  std::uint64_t from = current_.id.index;
  for (const auto& cycle : past_) {
    if (cycle->filter.everything()) break;
    from = cycle->id.index;
  }
  return from;
}

bool History::may_have_changed(std::string_view clean, CycleId since) const {
  if (since.index == 0 || since.index > current_.id.index) return true;
  const Hash128 digest = path_digest(clean);
  const auto another = [&](const Cycle& cycle) { return since.token != 0 && since != cycle.id; };
  const Cycle* cycle = &current_;
  for (std::size_t next = 0;; ++next) {
    if (cycle->filter.may_have_changed(clean, digest)) return true;
    if (cycle->id.index <= since.index) return another(*cycle);
    if (next == past_.size()) return true;
    cycle = past_[next].get();
  }
}

std::uint64_t History::last_change(std::string_view clean) const {
  const Hash128 digest = path_digest(clean);
  if (current_.filter.may_have_changed(clean, digest)) return current_.id.index;
  for (const auto& cycle : past_)
    if (cycle->filter.may_have_changed(clean, digest)) return cycle->id.index;
  return (past_.empty() ? current_ : *past_.back()).id.index - 1;
}

CycleFilter History::merged_from(std::uint64_t oldest) const {
  CycleFilter merged = current_.filter.clone();
  std::uint64_t successor = current_.id.index;
  for (const auto& cycle : past_) {
    if (successor <= oldest) return merged;
    merged.merge(cycle->filter);
    successor = cycle->id.index;
  }
  if (successor > oldest)
    merged.flag_everything(message("nothing is known before cycle ", successor));
  return merged;
}

CycleAnswer History::answer_from(std::uint64_t oldest) const {
  const std::uint64_t lowest = (past_.empty() ? current_ : *past_.back()).id.index;
  CycleAnswer answer{.current = current_.id, .knows_from = knows_from()};
  const std::uint64_t asked = oldest == 0 ? lowest : oldest;
  answer.oldest = std::max({asked, lowest, answer.knows_from});
  answer.complete = answer.knows_from <= asked;
  const auto newest =
      std::ranges::find_if(past_, [&](const auto& cycle) { return cycle->id.index >= asked; });
  answer.newest = newest == past_.end() ? 0 : (*newest)->id.index;
  return answer;
}

History History::snapshot() const { return {current_.clone(), past_, goal_, kept_}; }

}  // namespace bloomery::tracker
