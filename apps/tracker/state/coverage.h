// Coverage: the proof that a tracker's filters hold every change since a cycle, and who saw the
// changes. Without a proof, everything may have changed. The rules are in coverage.cc, in one
// function.
#pragma once
#include <optional>
#include <string>

#include "apps/tracker/state/tracker_status.h"

namespace bloomery::tracker {

// Source of a tracker's changes.
enum class ChangeFeed : std::uint8_t {
  kNone,     // no known source
  kWatcher,  // from `track watch`
  kMarks,    // from callers, who said that they mark every change (--marks-only)
  kFleet,    // from the watchers of several servers
};
std::string_view name_of(ChangeFeed feed);  // "none", "watcher", "marks", "fleet"

// What is known when a tracker's files are opened.
struct CoverageFacts {
  bool is_new = false;           // no copy of the state was read
  std::string unreadable = {};   // though there were files: what is wrong with the first
  bool session_open = false;     // the program that saved it went on marking
  bool owner_lives = false;      // and still does
  bool watched = false;          // a watcher saw the changes, until the state was saved
  bool watching = false;         // this process watches, from now on
  bool marks_only = false;       // callers mark every change
  bool marks_only_said = false;  // this caller said so now
  std::string broken_seal = {};  // why the copy that was read may not be the last
  std::int64_t seen_unix = 0;    // when its owner was last alive
};

// Why changes may be missing from the cycle that is current when the files are opened; empty: none
// are.
std::string gap_at_opening(const CoverageFacts& facts);
// The same for a cycle that begins while they are open.
std::string gap_from_now_on(bool watched, bool watching, bool marks_only);

struct Coverage {
  ChangeFeed feed = ChangeFeed::kNone;
  std::int64_t process = 0;  // of the watcher that lives; 0: none
  CycleId from = {};         // every change since it began is known; index 0: since none
  std::string gap = {};      // why since none; empty: up to now
  bool proven() const { return gap.empty(); }
};

// What a tracker's status says of it. Precondition: it has a cycle.
Coverage coverage_of(const TrackerStatus& status);

}  // namespace bloomery::tracker
