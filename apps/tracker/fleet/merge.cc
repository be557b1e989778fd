#include "apps/tracker/fleet/merge.h"

#include <algorithm>

#include "apps/tracker/fleet/codec.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

// An answer reaches back far enough if it begins with a cycle that the fleet knows: then nothing is
// missing between the last filter that was merged and this one.
bool reaches_back(const NodeAnswer& answer, const FleetView& view) {
  return std::any_of(view.chain.begin(), view.chain.end(), [&](const CycleId& known) {
    return known == answer.since && known.index < view.current.index;
  });
}

// Why the answer cannot be used; empty if it can.
std::string trouble_with(const NodeAnswer& answer, const Member& member, const FleetView& view) {
  if (answer.instance != member.instance) return "its answer is of a process that is gone";
  if (answer.cycle.id != view.current) return "its answer is to another cycle";
  if (answer.cycle.filter.everything()) return answer.cycle.filter.reason();
  if (answer.since.index == 0) return "it began to watch in this cycle";
  if (!reaches_back(answer, view))
    return message("it says what changed since a cycle ", answer.since.index,
                   " that this fleet does not know");
  return {};
}

// Merges what the member saw, or says why not.
std::string merge_member(CycleFilter& merged, const Member& member, const FleetView& view,
                         const AnswerOf& answer_of, DecodeLimits limits) {
  if (member.state == MemberState::kLeaving) return "it was asked to leave";
  if (member.state == MemberState::kRemembered) return "Redis lost it, and it is not back yet";
  if (member.state == MemberState::kAway) return "it was stopped";
  const auto bytes = answer_of(member);
  if (!bytes) return bytes.error().message;
  if (bytes->empty()) return "it did not answer";
  const auto answer = decode_answer(*bytes, limits);
  if (!answer) return answer.error().message;
  auto trouble = trouble_with(*answer, member, view);
  if (trouble.empty()) merged.merge(answer->cycle.filter);
  return trouble;
}

Cycle unknown_cycle(CycleId id, CycleGoal goal, std::string_view reason) {
  Cycle cycle{id, 0, CycleFilter{goal}};
  cycle.filter.flag_everything(reason);
  return cycle;
}

}  // namespace

GatheredCycle gather(const FleetView& view, const AnswerOf& answer_of, CycleGoal goal,
                     DecodeLimits limits) {
  GatheredCycle gathered{.filter = CycleFilter{goal}};
  if (view.members.empty()) {
    gathered.incomplete.push_back({.node = "", .reason = "no node has joined the fleet"});
    gathered.filter.flag_everything(gathered.incomplete.front().reason);
  }
  for (const Member& member : view.members) {
    auto trouble = merge_member(gathered.filter, member, view, answer_of, limits);
    if (trouble.empty()) continue;
    flag_share(gathered.filter, member.share, message("node ", member.name, ": ", trouble));
    gathered.incomplete.push_back({member.name, member.share, std::move(trouble)});
  }
  return gathered;
}

Result<History> fleet_history(const FleetView& view, const MergedOf& merged_of, CycleGoal goal,
                              DecodeLimits limits) {
  std::vector<std::shared_ptr<const Cycle>> past;
  for (const CycleId& id : view.chain) {
    if (id.index >= view.current.index) continue;
    const auto bytes = merged_of(id);
    if (!bytes) return bytes.error();
    Result<Cycle> cycle = unknown_cycle(id, goal, "its filter is not in Redis");
    if (*bytes) cycle = decode_cycle(**bytes, limits);
    if (!cycle) cycle = unknown_cycle(id, goal, cycle.error().message);
    if (cycle->id != id) cycle = unknown_cycle(id, goal, "its filter is of another cycle");
    past.push_back(std::make_shared<const Cycle>(std::move(*cycle)));
  }
  return History{{view.current, 0, CycleFilter{goal}}, std::move(past), goal};
}

}  // namespace bloomery::tracker
