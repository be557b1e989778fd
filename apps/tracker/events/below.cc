#include "apps/tracker/events/below.h"

#include <algorithm>

#include "apps/tracker/state/paths.h"

namespace bloomery::tracker {
namespace {

std::size_t depth_of(std::string_view clean) {
  return clean.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(clean, '/')) + 1;
}

std::string_view first_names(std::string_view clean, std::size_t names) {
  std::size_t end = 0;
  for (; names > 0 && end < clean.size(); --names) {
    end = clean.find('/', end == 0 ? 0 : end + 1);
    if (end == std::string_view::npos) return clean;
  }
  return clean.substr(0, end);
}

std::vector<std::string> cut_to(const std::vector<std::string>& paths, std::size_t names) {
  std::vector<std::string> cut;
  for (const std::string& path : paths) cut.emplace_back(first_names(path, names));
  std::ranges::sort(cut);
  cut.erase(std::unique(cut.begin(), cut.end()), cut.end());
  // Sorted, what covers a path comes before it, but a sibling such as "a-b" may lie between "a" and
  // "a/b".
  std::vector<std::string> outer;
  for (std::string& path : cut)
    if (std::ranges::none_of(outer, [&](const auto& other) { return lies_in(path, other); }))
      outer.push_back(std::move(path));
  return outer;
}

}  // namespace

// The deepest cut that leaves half of the room free, so that it is not made again at once.
std::vector<std::string> WatchBelow::coarser() {
  std::size_t deepest = 0;
  for (const std::string& path : paths_) deepest = std::max(deepest, depth_of(path));
  for (std::size_t names = deepest; names-- > 0;)
    if (auto cut = cut_to(paths_, names); cut.size() <= most_ / 2) return cut;
  return {std::string{}};
}

std::vector<std::string> WatchBelow::add(std::string_view clean) {
  if (std::ranges::any_of(paths_, [&](const auto& outer) { return lies_in(clean, outer); }))
    return {};
  std::erase_if(paths_, [&](const auto& inner) { return lies_in(inner, clean); });
  paths_.emplace_back(clean);
  if (paths_.size() <= most_) return {std::string{clean}};
  paths_ = coarser();
  return paths_;
}

}  // namespace bloomery::tracker
