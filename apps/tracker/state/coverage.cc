#include "apps/tracker/state/coverage.h"

#include <cassert>

#include "apps/tracker/state/unix_time.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {

std::string_view name_of(ChangeFeed feed) {
  static constexpr std::string_view kNames[] = {"none", "watcher", "marks", "fleet"};
  return kNames[static_cast<std::size_t>(feed)];
}

std::string gap_from_now_on(bool watched, bool watching, bool marks_only) {
  if (watching || marks_only) return {};
  if (watched) return "no watcher is running";
  return "no watcher runs with this state, and no caller said with --marks-only that it marks "
         "every change";
}

std::string gap_at_opening(const CoverageFacts& facts) {
  if (facts.is_new)
    return facts.unreadable.empty()
               ? "the tracker is new"
               : message("no copy of the tracker's state could be read: ", facts.unreadable);
  if (facts.session_open && facts.owner_lives)
    return "the program that owns the tracker knows more than its files";
  if (facts.session_open)
    return message("the last session did not end properly; it was alive at ",
                   utc_text(facts.seen_unix));
  if (facts.watched || facts.watching)
    return message("no watcher ran since ", utc_text(facts.seen_unix));
  if (!facts.marks_only) {
    if (facts.marks_only_said)
      return "until now, no caller had said with --marks-only that it marks every change";
    return gap_from_now_on(false, false, false);
  }
  return facts.broken_seal;
}

Coverage coverage_of(const TrackerStatus& status) {
  assert(!status.cycles.empty());
  Coverage coverage;
  if (status.marks_only) coverage.feed = ChangeFeed::kMarks;
  if (status.watched) coverage.feed = ChangeFeed::kWatcher;
  if (status.watch) coverage.process = status.watch->process;
  coverage.gap = status.gap;
  for (const CycleStatus& cycle : status.cycles) {
    if (!cycle.everything.empty()) {
      if (coverage.from.index == 0 && coverage.gap.empty()) coverage.gap = cycle.everything;
      break;
    }
    coverage.from = cycle.id;
  }
  if (!coverage.proven()) coverage.from = {};
  return coverage;
}

}  // namespace bloomery::tracker
