// The tracker: threads mark what changed, a collector puts it into the current cycle, a saver keeps
// the files up to date, and anybody asks what may have changed since a cycle.
#pragma once
#include <memory>

#include "apps/tracker/state/state.h"
#include "apps/tracker/state/tracker_options.h"
#include "apps/tracker/state/tracker_status.h"

namespace bloomery::tracker {

// Every function may be called from any thread.
class Tracker {
 public:
  // Takes the lock and reads the newest valid copy. What nobody saw meanwhile (a session that did
  // not end properly, a watcher that was away, a lost state) makes the current cycle "everything".
  static Result<Tracker> open(TrackerOptions options);
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) = delete;
  ~Tracker();  // close(), and its error goes unheard

  // The path and every folder above it changed. Never waits: when the queue is full, the cycle
  // becomes "everything may have changed", and the answer is false.
  bool mark(std::string_view path);
  bool mark(std::string_view bucket, std::string_view path);
  bool mark_below(std::string_view path);  // and anything below it may have
  // Changes were lost before they could be marked.
  void mark_everything(std::string_view reason);

  // Returns once all that was marked before the call is in the filters.
  void barrier();
  // A barrier, then the new cycle, then a save: a number that was answered is never given to
  // another cycle. With no copy written it is an error; the same request may be repeated.
  Result<CycleAnswer> cycle(const CycleRequest& request);
  // cycle() to the number after the current one, with as many cycles as are kept.
  Result<CycleAnswer> next_cycle();

  // Whether the path, or anything below it, may have changed since that cycle began. Marks that
  // still wait in the queue are not seen: begin with a barrier().
  bool may_have_changed(std::string_view path, CycleId since) const;
  void may_have_changed(std::span<const std::string> paths, CycleId since,
                        std::span<std::uint8_t> answers) const;
  // Since the cycle before the current one began: what a scan that just began its cycle asks.
  CycleId usual_since() const;
  // Adaptive only: all that is known, for other programs. kUnsupported otherwise.
  Result<History> snapshot() const;

  TrackerStatus status() const;
  Settings settings() const;
  Mode mode() const;
  // Tells this state from one that was lost and begun anew, where cycles have no tokens: MinIO's.
  std::uint64_t epoch() const;
  // kIo once the state folder was removed, moved or replaced: nothing is saved any more, and
  // whoever opens the state knows nothing of this tracker.
  Status check_folder() const;
  Status save();   // if anything changed
  Status close();  // everything marked is in, and saved; nothing may be called after it

 private:
  class Core;
  explicit Tracker(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace bloomery::tracker
