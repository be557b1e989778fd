// The leader of a fleet: begins cycles, gathers what the nodes saw, and scans. The process that
// gets the lock in Redis leads; one that lost it can write nothing there.
#pragma once
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "apps/tracker/fleet/merge.h"
#include "apps/tracker/fleet/store.h"

namespace bloomery::tracker {

struct FleetLeaderOptions {
  std::string fleet;
  std::string name;                              // for people who ask who leads
  std::filesystem::path state_folder;            // remembers the members
  std::chrono::milliseconds patience{10'000};    // for the answers of nodes that live
  std::chrono::milliseconds alive_time{10'000};  // who is silent for longer is not waited for
  // For another leader to finish; longer than the lock of one that died lives.
  std::chrono::milliseconds lock_patience = kLeaderLockTime + std::chrono::seconds{5};
  std::chrono::milliseconds hold_every{3'000};
  std::chrono::milliseconds look_every{50};
  CycleGoal goal = {};
  DecodeLimits limits = {.max_bytes = std::uint64_t{8} << 30};
};

struct FleetCycle {
  History history;  // query it since earlier cycles: the current one has no answers yet
  std::vector<IncompleteShare> incomplete = {};
};

// As the folder remembers it; none if it knows of no member.
std::optional<Share> remembered_share(const FleetLeaderOptions& options);

class FleetLeader {
 public:
  // kIo when another leads and does not finish in time.
  static Result<std::unique_ptr<FleetLeader>> elect(const StoreOpener& open,
                                                    FleetLeaderOptions options);
  FleetLeader(const FleetLeader&) = delete;
  FleetLeader& operator=(const FleetLeader&) = delete;
  ~FleetLeader();  // lets go of the lock

  // Of all members together. Everything below "" where there are none yet.
  Result<Share> share();
  // Begins the fleet's next cycle, waits for the answers, and merges them.
  Result<FleetCycle> begin_cycle();
  // The scan of the cycle that was begun is complete: an error if another leader began one since.
  Status finish_scan();
  Status hold() { return store_->hold(seat_); }
  const LeaderSeat& seat() const { return seat_; }

 private:
  FleetLeader(std::unique_ptr<FleetStore> store, std::unique_ptr<FleetStore> holder,
              LeaderSeat seat, FleetLeaderOptions options);

  Result<std::vector<IncompleteShare>> complete(CycleId current);
  Status await_answers(const FleetView& begun);
  bool is_awaited(const Member& member, const FleetView& view) const;
  FleetView with_remembered(FleetView view) const;
  Result<FleetCycle> known(FleetView view, std::vector<IncompleteShare> incomplete);
  Status remember(const FleetView& view);
  void keep_holding();

  const std::unique_ptr<FleetStore> store_;
  const std::unique_ptr<FleetStore> holder_;  // of the thread
  const LeaderSeat seat_;
  const FleetLeaderOptions options_;
  FleetMemory memory_;
  CycleId begun_ = {};

  std::mutex mutex_;
  std::condition_variable wakes_;
  bool stops_ = false;  // under mutex_
  std::thread thread_;
};

}  // namespace bloomery::tracker
