// The cycles that a tracker keeps: the current one, and up to sixteen before it. Reports what may
// have changed since a cycle, and from which cycle on everything is known.
#pragma once
#include "apps/tracker/state/cycle.h"

namespace bloomery::tracker {

inline constexpr std::uint32_t kCyclesKept = 16;
inline constexpr std::uint32_t kMostCyclesKept = 1024;

struct CycleRequest {
  std::uint64_t oldest = 0;       // cycles before it are forgotten
  std::uint64_t current = 0;      // the cycle to begin; 0 looks without changing anything
  std::string oldest_clean = {};  // if not empty: only ask since when this path is unchanged
};

struct CycleAnswer {
  CycleId current;
  std::uint64_t oldest =
      0;  // of the cycles that went in; for oldest_clean: since when it is unchanged
  std::uint64_t newest = 0;      // the newest finished one of them; 0 if none
  bool complete = false;         // false: something since request.oldest is not known
  std::uint64_t knows_from = 0;  // from this cycle on, everything is known
};

// Many readers or one writer, as std::vector.
class History {
 public:
  // A tracker that knows nothing of what was before: its first cycle says so, as "everything".
  static History starting_at(CycleId id, std::int64_t now_unix, CycleGoal goal,
                             std::string_view reason);
  // Precondition: past is newest first, and older than current.
  History(Cycle current, std::vector<std::shared_ptr<const Cycle>> past, CycleGoal goal,
          std::uint32_t kept = kCyclesKept);

  Cycle& current() { return current_; }
  const Cycle& current() const { return current_; }
  std::span<const std::shared_ptr<const Cycle>> past() const { return past_; }  // newest first

  // Begins the cycle `id`, unless it is the current one already. A cycle that was skipped is no
  // gap: the one before it lasted until this one. kInvalidArgument for a lower number: cycles that
  // others already asked about would come again.
  Status begin(CycleId id, std::int64_t now_unix);
  void forget_before(std::uint64_t oldest);

  // The lowest number since which everything is known; one above the current cycle's if not even
  // that is.
  std::uint64_t knows_from() const;
  // Whether a clean path, or anything below it, may have changed since that cycle began. A cycle
  // that is not remembered, or is another one of that number, says yes.
  bool may_have_changed(std::string_view clean, CycleId since) const;
  // The newest cycle in which the path may have changed; 0 if it is known that in none.
  std::uint64_t last_change(std::string_view clean) const;
  // What the cycles from `oldest` on say together, for those who ask about many paths elsewhere.
  CycleFilter merged_from(std::uint64_t oldest) const;
  CycleAnswer answer_from(std::uint64_t oldest) const;

  const CycleGoal& goal() const { return goal_; }
  void set_goal(CycleGoal goal) { goal_ = goal; }  // of the cycles to come
  std::uint32_t kept() const { return kept_; }
  History snapshot() const;  // shares the past, copies the current cycle

 private:
  Cycle current_;
  std::vector<std::shared_ptr<const Cycle>> past_;
  CycleGoal goal_;
  std::uint32_t kept_;
};

}  // namespace bloomery::tracker
