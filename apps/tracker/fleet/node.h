// A server's part in a fleet: it joins, sends heartbeats, and reports at the beginning of each
// cycle what it saw since the one before.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "apps/tracker/fleet/store.h"
#include "apps/tracker/state/tracker_client.h"

namespace bloomery::tracker {

struct FleetNodeOptions {
  std::string fleet;
  std::string name;
  Share share = {};                    // clean roots; none: everything
  std::filesystem::path state_folder;  // whose lock the caller holds
  std::chrono::milliseconds poll_every{100};
  std::chrono::milliseconds retry_every{500};  // after an error
};

// A barrier of the watcher, then a new local cycle, then all that is known: the current cycle of
// the answer began after the call.
using CloseCycle = std::function<Result<History>()>;
// Precondition: a cycle of it begins with a barrier, as a watcher's does.
CloseCycle close_cycle_of(TrackerClient& access);

struct FleetNodeStatus {
  bool joined = false;
  CycleId answered = {};     // the last cycle it answered
  std::string problem = {};  // why it is not joined, or did not answer
  bool ended = false;        // for good: asked to leave, or its name is another's
};

// One step after the other, without a thread.
class FleetNodeSteps {
 public:
  FleetNodeSteps(FleetNodeOptions options, std::unique_ptr<FleetStore> store, CloseCycle close);

  // Does what there is to do now. Its problems are in the status; only its end is an error.
  Status step();
  void depart();
  const FleetNodeStatus& status() const { return status_; }

 private:
  Status join();
  void follow(const Poll& poll);
  void answer(CycleId cycle);
  void learn_members(std::uint64_t changes);
  void note(const Error& error) { status_.problem = error.message; }

  const FleetNodeOptions options_;
  const std::unique_ptr<FleetStore> store_;
  const CloseCycle close_;
  FleetMemory memory_;
  NodeSeat seat_;
  FleetNodeStatus status_;
  CycleId base_local_ = {};  // the tracker's cycle that began with status_.answered
  std::optional<std::uint64_t> changes_seen_;
};

// The same in a thread of its own.
class FleetNode {
 public:
  // kInvalidArgument for a name or roots that cannot be. That Redis is not there is no error: the
  // node joins once it is.
  static Result<std::unique_ptr<FleetNode>> start(FleetNodeOptions options,
                                                  std::unique_ptr<FleetStore> store,
                                                  CloseCycle close);
  FleetNode(const FleetNode&) = delete;
  FleetNode& operator=(const FleetNode&) = delete;
  ~FleetNode();  // stop()

  // Marks the node as away in Redis, so that no leader waits for it. Its share stays incomplete.
  void stop();
  FleetNodeStatus status() const;
  // Until it joined; false when that takes longer, or will never be.
  bool wait_joined(std::chrono::milliseconds patience) const;

 private:
  FleetNode(FleetNodeOptions options, std::unique_ptr<FleetStore> store, CloseCycle close);
  void run();

  const FleetNodeOptions options_;
  FleetNodeSteps steps_;  // of the thread
  mutable std::mutex mutex_;
  mutable std::condition_variable wakes_;
  FleetNodeStatus status_;  // under mutex_
  bool stops_ = false;      // under mutex_
  std::thread thread_;
};

}  // namespace bloomery::tracker
