// What a tracker keeps between two runs, and its bytes: the file tracker.bloomery.
#pragma once
#include "apps/tracker/state/history.h"

namespace bloomery::tracker {

// Options that the state remembers, so that a command needs only the folder.
struct Settings {
  std::vector<std::string> roots = {};   // absolute, clean; of a tree that is watched, else none
  std::vector<std::string> drives = {};  // folders with more copies
  friend bool operator==(const Settings&, const Settings&) = default;
};

struct State {
  std::uint64_t sequence = 0;  // counts saves: of several copies the highest is the newest
  std::int64_t saved_unix = 0;
  bool session_open = false;  // the process that saved it went on marking: later marks are not here
  bool watched = false;       // changes come from a watcher: without it they are missed
  bool marks_only = false;    // callers mark every change, and said so
  Settings settings = {};
  History history;

  State snapshot() const {
    return {sequence, saved_unix, session_open, watched, marks_only, settings, history.snapshot()};
  }
};

std::vector<std::byte> encode_state(const State& state);
// Takes all the bytes. Checks every length against them before it allocates.
Result<State> decode_state(ByteView bytes, DecodeLimits limits);

}  // namespace bloomery::tracker
