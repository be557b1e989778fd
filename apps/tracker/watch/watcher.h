// The watcher: a tracker, the back ends that see the changes of its roots, and the barrier between
// them. It owns the state; commands reach it through its socket (socket_server.h).
#pragma once
#include <atomic>
#include <condition_variable>
#include <future>
#include <shared_mutex>
#include <thread>

#include "apps/tracker/events/backend.h"
#include "apps/tracker/events/backlog.h"
#include "apps/tracker/events/exports.h"
#include "apps/tracker/events/files.h"
#include "apps/tracker/events/marks.h"
#include "apps/tracker/state/tracker.h"

namespace bloomery::tracker {

enum class WatchChoice : std::uint8_t { kAuto, kFanotify, kInotify };

struct WatcherOptions {
  TrackerOptions tracker;  // its roots are what is watched; none: objects, which others mark
  WatchChoice backend = WatchChoice::kAuto;
  // How long a barrier waits for the kernel's queue before it gives up and flags everything.
  std::chrono::milliseconds barrier_patience = std::chrono::seconds{60};
  std::size_t backlog_bytes = std::size_t{256} << 20;
  std::uint64_t most_inotify_watches = UINT64_MAX;  // for tests
  // What NFS exports: there inotify does not see everything.
  std::vector<std::filesystem::path> export_tables = usual_export_tables();
  // Called after a cycle began, before the caller gets the answer: the closed cycle is final.
  std::function<void(const CycleAnswer&)> cycle_began = {};
};

// Every function may be called from any thread.
class Watcher final : public TrackerClient {
 public:
  // Returns once every change is seen; everything before counts as changed.
  static Result<std::unique_ptr<Watcher>> start(WatcherOptions options);
  ~Watcher() override;

  Status mark(std::span<const std::string> paths, bool below) override;
  // Each begins with a barrier(): what changed before the call is in the answer.
  Result<CycleAnswer> cycle(const CycleRequest& request) override;
  Result<CycleAnswer> next_cycle() override;
  Status query(std::span<const std::string> paths, std::optional<CycleId> since,
               std::vector<std::uint8_t>& answers) override;
  Result<History> snapshot() override;
  // Everything that happened before the call is marked when it returns; if that cannot be had in
  // time, everything is flagged.
  Status barrier() override;
  Result<TrackerStatus> status() override;
  Result<std::vector<std::string>> roots() override;
  Status save();
  // kIo once its state folder is gone: commands cannot reach it any more, so it should end.
  Status check_folder() const { return tracker_->check_folder(); }
  // Changes were lost before they could be marked.
  void mark_everything(std::string_view reason) { marks_.everything(reason); }
  Status close() override;  // a last barrier, and saved; nothing may be called after it

  // "fanotify", "inotify", "fanotify and inotify", "none".
  std::string backends() const;
  void count_request() { requests_.fetch_add(1, std::memory_order_relaxed); }
  // For tests: the kernel's queue is not read.
  void hold_reading(bool held) { backlog_->hold(held); }

 private:
  Watcher(WatcherOptions options, std::unique_ptr<Tracker> tracker,
          const std::vector<std::string>& drives);
  Status open_backends();
  Status begin_watching();
  void assign_regions();

  void handle_entries();
  void handle_entry(WatchBacklog::Entry& entry);
  void handle_loss(std::size_t source, std::uint64_t number);
  void check_mounts();
  std::uint64_t disturbances() const;
  bool settle();
  void note_unseen();
  void publish();
  std::string names_of_backends() const;

  bool drain();
  bool put_markers(std::uint64_t number);
  bool wait_for_markers(std::uint64_t number, std::chrono::steady_clock::time_point end);
  enum class Settled : std::uint8_t { kYes, kNo, kLate };
  Settled settle_there(std::chrono::steady_clock::time_point end);
  Result<CycleAnswer> begin_cycle(const std::optional<CycleRequest>& request);
  void flag_unseen();

  const WatcherOptions options_;
  const std::filesystem::path markers_;
  const std::unique_ptr<Tracker> tracker_;
  WatchMarks marks_;
  std::vector<std::unique_ptr<WatchBackend>> backends_;
  Descriptor mounts_;
  std::unique_ptr<WatchBacklog> backlog_;
  std::thread handler_;
  std::atomic<bool> stops_ = false;
  std::int64_t started_unix_ = 0;

  // Of the handler alone.
  std::vector<Region> regions_;
  std::vector<Region> unwatched_;
  std::vector<Region> by_inotify_;
  std::vector<Mount> known_mounts_;
  std::vector<std::uint64_t> recovered_;  // per back end: what was read before it looked again
  std::vector<std::uint64_t> passed_;     // markers that need not come any more
  std::uint64_t losses_ = 0;              // of the backlog
  Descriptor mounts_checked_;
  std::uint64_t moves_checked_ = 0;  // folders that had moved when the mounts were last read

  // What the handler tells the others.
  struct Progress {
    std::vector<std::uint64_t> markers;  // seen, per back end
    std::uint64_t disturbances = 0;
    std::uint64_t watches = 0;
    std::uint64_t events = 0;
    std::uint64_t overflows = 0;
    std::vector<UnseenSubtree> unseen = {};
    std::string backends = {};
  };
  mutable std::mutex progress_mutex_;
  std::condition_variable progressed_;
  Progress progress_;

  std::mutex barrier_mutex_;  // one drains at a time
  std::atomic<std::uint64_t> marker_ = 0;
  std::atomic<std::uint64_t> barriers_ = 0;
  std::atomic<std::uint64_t> late_barriers_ = 0;
  std::atomic<std::uint64_t> requests_ = 0;
  std::shared_mutex cycle_mutex_;  // a cycle that began has its unseen subtrees before it is asked
  bool closed_ = false;
};

}  // namespace bloomery::tracker
