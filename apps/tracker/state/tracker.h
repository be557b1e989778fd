// A tracker: threads mark changed paths, a collector adds them to the current cycle, a saver keeps
// the files up to date, and any thread asks what may have changed since a cycle.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "apps/tracker/state/held_folder.h"
#include "apps/tracker/state/mark_queue.h"
#include "apps/tracker/state/tracker_client.h"
#include "apps/tracker/state/tracker_loader.h"

namespace bloomery::tracker {

// Every function may be called from any thread.
class Tracker final : public TrackerClient {
 public:
  // Takes the lock and reads the newest valid copy. Where changes may be missing (a session that
  // did not end properly, a watcher that was away, a lost state), the current cycle becomes
  // "everything".
  static Result<std::unique_ptr<Tracker>> open(TrackerOptions options);
  ~Tracker() override;  // calls close() and ignores errors

  // The path and every folder above it changed. Never waits: when the queue is full, the cycle
  // becomes "everything may have changed", and the result is false.
  bool mark(std::string_view path);
  bool mark(std::string_view bucket, std::string_view path);
  bool mark_below(std::string_view path);  // and anything below it may have
  Status mark(std::span<const std::string> paths, bool below) override;
  // Changes were lost before they could be marked.
  void mark_everything(std::string_view reason);

  Status barrier() override;  // never fails
  // A barrier, then the new cycle, then a save: a number that was returned is never given to
  // another cycle. With no copy written it is an error; the same request may be repeated.
  Result<CycleAnswer> cycle(const CycleRequest& request) override { return begin_cycle(request); }
  Result<CycleAnswer> next_cycle() override { return begin_cycle(std::nullopt); }

  // Whether the path, or anything below it, may have changed since that cycle began. Marks that
  // still wait in the queue are not seen: begin with a barrier().
  bool may_have_changed(std::string_view path, CycleId since) const;
  void may_have_changed(std::span<const std::string> paths, CycleId since,
                        std::span<std::uint8_t> answers) const;
  Status query(std::span<const std::string> paths, std::optional<CycleId> since,
               std::vector<std::uint8_t>& answers) override;
  // The cycle before the current one: a scan that just began its cycle asks since then.
  CycleId default_since() const;
  Result<History> snapshot() override;

  Result<TrackerStatus> status() override { return current_status(); }
  TrackerStatus current_status() const;
  Result<std::vector<std::string>> roots() override { return settings().roots; }
  Settings settings() const;
  Mode mode() const { return loaded_.mode; }
  // Tells this state from one that was lost and begun anew, where cycles have no tokens: MinIO's.
  std::uint64_t epoch() const { return loaded_.epoch; }
  // kIo once the state folder was removed, moved or replaced: nothing is saved any more, and the
  // next process that opens the state does not see what this one marked.
  Status check_folder() const { return options_.read_only ? ok() : folder_.in_place(); }
  Status save() { return save_as(session_, false); }  // if anything changed
  Status close() override;

 private:
  Tracker(TrackerOptions options, std::optional<StateLock> lock, LoadedTracker loaded);
  Status start();  // a session begins: the files say so before the first mark
  bool push(std::string_view path, MarkQueue::Reach reach);
  // No request: the next cycle.
  Result<CycleAnswer> begin_cycle(const std::optional<CycleRequest>& request);
  void collect();
  void apply(const MarkQueue::Batch& batch);
  void keep_saved();
  void beat() const;
  Status save_as(bool session_open, bool always);
  std::vector<std::byte> encoded(bool session_open);
  std::int64_t now() const;
  // Why changes are missing from a cycle that begins now; empty: none are.
  std::string gap_from_now_on() const;
  Status seal(ByteView bytes, const Copies::Saved& saved) const;

  const TrackerOptions options_;
  const std::optional<StateLock> lock_;
  const HeldFolder folder_;  // in which the lock lies: without it another program may own the state

  mutable std::mutex model_mutex_;
  LoadedTracker loaded_;  // its model and problems: under model_mutex_
  std::uint64_t marks_ = 0;
  std::uint64_t lost_ = 0;

  MarkQueue queue_;
  std::atomic<bool> collector_stops_ = false;
  std::atomic<std::uint64_t> barriers_asked_ = 0;
  std::uint64_t barriers_done_ = 0;  // under barrier_mutex_
  std::mutex barrier_mutex_;
  std::condition_variable barrier_done_;

  std::mutex save_mutex_;  // one save at a time; taken before model_mutex_
  std::atomic<bool> dirty_ = false;
  bool session_ = false;  // threads run, and the files say so

  std::mutex saver_mutex_;
  std::condition_variable saver_wakes_;
  bool saver_stops_ = false;  // under saver_mutex_

  std::thread collector_;
  std::thread saver_;
};

}  // namespace bloomery::tracker
