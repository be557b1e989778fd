#include "apps/tracker/fleet/fleet.h"

#include <algorithm>
#include <random>

#include "apps/tracker/state/paths.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {

Status check_name(std::string_view what, std::string_view name) {
  const auto is_fit = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '.' || letter == '_' || letter == '-';
  };
  if (!name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, is_fit))
    return ok();
  return Error{ErrorCode::kInvalidArgument,
               message("the name of ", what, " has 1 to ", kLongestName,
                       " letters, digits, dots, hyphens or underscores, and this one does not")};
}

Share union_of(const Share& one, const Share& other) {
  if (one.empty() || other.empty()) return {};
  Share all = one;
  for (const std::string& root : other)
    if (std::ranges::none_of(all, [&](const auto& known) { return lies_in(root, known); })) {
      std::erase_if(all, [&](const auto& known) { return lies_in(known, root); });
      all.push_back(root);
    }
  std::ranges::sort(all);
  return all.size() > kMostRoots ? Share{} : all;
}

void flag_share(CycleFilter& filter, const Share& share, std::string_view reason) {
  if (share.empty()) return filter.flag_everything(reason);
  for (const std::string& root : share) filter.flag_below(root);
}

std::string_view name_of(MemberState state) {
  static constexpr std::string_view kNames[] = {"active", "away", "remembered", "leaving"};
  return kNames[static_cast<std::size_t>(state)];
}

const Member* FleetView::find(std::string_view name) const {
  const auto found = std::ranges::find(members, name, &Member::name);
  return found == members.end() ? nullptr : &*found;
}

void learn(FleetMemory& memory, const FleetView& view) {
  memory.last_index = std::max(memory.last_index, view.current.index);
  std::erase_if(memory.members, [&](const RememberedMember& known) {
    return std::ranges::find(view.left, known.name) != view.left.end();
  });
  for (const Member& member : view.members) {
    const auto known = std::ranges::find(memory.members, member.name, &RememberedMember::name);
    if (known == memory.members.end()) {
      memory.members.push_back({member.name, member.share});
    } else {
      known->share = union_of(known->share, member.share);
    }
  }
  std::ranges::sort(memory.members, {}, &RememberedMember::name);
}

std::uint64_t new_fleet_token() {
  std::random_device random;
  const std::uint64_t token = std::uint64_t{random()} << 32 | random();
  return token == 0 ? 1 : token;
}

}  // namespace bloomery::tracker
