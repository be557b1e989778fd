// The threads, locks and files of a Tracker.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "apps/tracker/state/held_folder.h"
#include "apps/tracker/state/mark_queue.h"
#include "apps/tracker/state/tracker.h"
#include "apps/tracker/state/tracker_loader.h"

namespace bloomery::tracker {

class Tracker::Core {
 public:
  Core(TrackerOptions options, std::optional<StateLock> lock, LoadedBook loaded);
  ~Core();

  Status start();  // a session begins: said in the files before the first mark
  bool push(std::string_view path, MarkQueue::Reach reach);
  void flag_everything(std::string_view reason);
  void barrier();
  // No request: the next cycle.
  Result<CycleAnswer> cycle(const std::optional<CycleRequest>& request);
  Status save() { return save_as(session_, false); }
  Status check_folder() const { return options_.read_only ? ok() : folder_.in_place(); }
  Status close();

  void may_have_changed(std::span<const std::string> paths, CycleId since,
                        std::span<std::uint8_t> answers) const;
  TrackerStatus status() const;

  template <class Use>
  auto with_book(Use use) const {
    const std::lock_guard lock{book_mutex_};
    return use(loaded_.book);
  }
  Mode mode() const { return loaded_.mode; }
  std::uint64_t epoch() const { return loaded_.epoch; }

 private:
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

  mutable std::mutex book_mutex_;
  LoadedBook loaded_;  // its book and problems: under book_mutex_
  std::uint64_t marks_ = 0;
  std::uint64_t lost_ = 0;

  MarkQueue queue_;
  std::atomic<bool> collector_stops_ = false;
  std::atomic<std::uint64_t> barriers_asked_ = 0;
  std::uint64_t barriers_done_ = 0;  // under barrier_mutex_
  std::mutex barrier_mutex_;
  std::condition_variable barrier_done_;

  std::mutex save_mutex_;  // one save at a time; taken before book_mutex_
  std::atomic<bool> dirty_ = false;
  bool session_ = false;  // threads run, and the files say so

  std::mutex saver_mutex_;
  std::condition_variable saver_wakes_;
  bool saver_stops_ = false;  // under saver_mutex_

  std::thread collector_;
  std::thread saver_;
};

}  // namespace bloomery::tracker
