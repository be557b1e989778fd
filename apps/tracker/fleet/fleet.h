// Types of a fleet: several servers that see one tree, each only the changes made through itself.
// docs/internals/tracker.md says why each step is safe.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "apps/tracker/state/history.h"

namespace bloomery::tracker {

inline constexpr std::size_t kMostNodes = 256;
inline constexpr std::size_t kLongestName = 64;
inline constexpr std::size_t kMostRoots = 1024;
inline constexpr std::size_t kMostRootBytes = std::size_t{256} << 10;  // of all roots of a node
// Of one node's answer, and of the merged filter of a cycle; more becomes "everything".
inline constexpr std::uint64_t kMaxAnswerBytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kMaxMergedBytes = std::uint64_t{256} << 20;

// A leader that is silent for so long leads no more.
inline constexpr std::chrono::milliseconds kLeaderLockTime{15'000};

// Of a node or a fleet: 1 to 64 of letters, digits, '.', '_' and '-'.
Status check_name(std::string_view what, std::string_view name);

// What a node sees: everything below its roots, which are clean. None: everything.
using Share = std::vector<std::string>;
Share union_of(const Share& one, const Share& other);
void flag_share(CycleFilter& filter, const Share& share, std::string_view reason);

enum class MemberState : std::uint8_t {
  kActive,      // it joined; whether it lives, its heartbeat says
  kAway,        // it stopped properly; the changes of its server are not seen
  kRemembered,  // others know of it, and Redis did not
  kLeaving,     // it was asked to leave: incomplete once more, then gone
};
std::string_view name_of(MemberState state);

struct Member {
  std::string name;
  MemberState state = MemberState::kActive;
  std::uint64_t instance = 0;  // of the process that joined
  std::uint64_t identity = 0;  // of the state folder that it joined from
  std::string place = {};      // where that folder is: an instance of this boot, and its path
  Share share = {};
  std::optional<std::chrono::milliseconds> silent = {};  // since its last heartbeat
  std::uint64_t answered = 0;                            // the number of the last cycle it answered
};

// All that the fleet's hash in Redis says.
struct FleetView {
  CycleId current;                  // index 0: none yet
  std::vector<CycleId> chain = {};  // newest first; the first is the current
  bool gathering = false;           // answers to the current cycle are taken
  bool same_server = false;  // when it began, Redis was that of the cycle before, and lost nothing
  std::uint64_t committed = 0;  // the current index once its beginning was complete
  std::uint64_t scanned = 0;    // the last cycle whose scan was finished
  std::uint64_t fence = 0;      // counts elections
  std::string leader = {};      // the last one's name
  std::optional<std::chrono::milliseconds> lock_left = {};  // none: the lock is free
  std::uint64_t changes = 0;                                // of the list of members
  std::vector<Member> members = {};
  std::vector<std::string> left = {};  // asked to leave, and not to be remembered

  const Member* find(std::string_view name) const;
};

// What one node says when a cycle begins: what it saw since the one it answered last.
struct NodeAnswer {
  std::uint64_t instance = 0;
  CycleId since = {};  // the last cycle it answered; index 0: it knows of none
  Cycle cycle;         // its id is the cycle that began; its filter what changed before
};

// A member as others remember it, where Redis does not.
struct RememberedMember {
  std::string name;
  Share share;
  friend bool operator==(const RememberedMember&, const RememberedMember&) = default;
};

// What a state folder knows of its fleet, so that a Redis that lost data does no harm.
struct FleetMemory {
  std::string fleet;
  std::uint64_t identity = 0;
  std::uint64_t last_index = 0;
  std::vector<RememberedMember> members = {};
  friend bool operator==(const FleetMemory&, const FleetMemory&) = default;
};
// Adds what Redis says now. What it forgot without a request stays, and so do roots that
// a node had before: an older snapshot of Redis may not know of them.
void learn(FleetMemory& memory, const FleetView& view);

// A share of which something is not known, and why.
struct IncompleteShare {
  std::string node;  // empty: all of them
  Share share = {};
  std::string reason;
};

std::uint64_t new_fleet_token();  // random, never 0

}  // namespace bloomery::tracker
