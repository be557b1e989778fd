#include "apps/tracker/state/change_source.h"

#include "bloomery/base/message.h"

namespace bloomery::tracker {

std::string HistorySource::gap_since(CycleId since) const {
  const Cycle* cycle = &history_.current();
  const auto another = [&] {
    return message("its cycle ", since.index, " is not the one that the last scan began");
  };
  if (since.index == 0 || since.index > cycle->id.index) return another();
  for (std::size_t next = 0;; ++next) {
    if (cycle->filter.everything())
      return message("cycle ", cycle->id.index, ": ", cycle->filter.reason());
    if (cycle->id.index <= since.index)
      return since.token != 0 && since != cycle->id ? another() : std::string{};
    if (next == history_.past().size())
      return message("it remembers nothing before cycle ", cycle->id.index);
    cycle = history_.past()[next].get();
  }
}

bool MinioSource::may_have_changed(std::string_view clean, CycleId since) const {
  // Its filters have no key for the root, and its word for "since ever" is the oldest it remembers.
  return clean.empty() || since.index == 0 || is_of_another_state(since) ||
         tracker_->may_have_changed(clean, since);
}

std::string MinioSource::gap_since(CycleId since) const {
  const TrackerStatus status = tracker_->current_status();
  if (since.index == 0 || since.index > status.cycles.front().id.index)
    return message("it has not come to cycle ", since.index);
  if (is_of_another_state(since)) return "the last scan was of another state";
  if (since.index < status.knows_from)
    return message("it remembers nothing before cycle ", status.knows_from);
  return {};
}

}  // namespace bloomery::tracker
