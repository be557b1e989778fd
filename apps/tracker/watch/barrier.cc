// The part of Watcher that others call: the barrier, and what begins with one.
#include <unistd.h>

#include <algorithm>
#include <future>

#include "apps/tracker/state/paths.h"
#include "apps/tracker/watch/watcher.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRounds = 64;
constexpr std::size_t kMostListed = 32;  // unseen subtrees in a status

}  // namespace

bool Watcher::put_markers(std::uint64_t number) {
  return std::ranges::all_of(
      backends_, [&](const auto& backend) { return backend->put_marker(number).has_value(); });
}

bool Watcher::wait_for_markers(std::uint64_t number, Clock::time_point end) {
  std::unique_lock lock{progress_mutex_};
  return progressed_.wait_until(lock, end, [&] {
    return std::ranges::all_of(progress_.markers,
                               [&](std::uint64_t seen) { return seen >= number; });
  });
}

Watcher::Settled Watcher::settle_there(Clock::time_point end) {
  const auto promise = std::make_shared<std::promise<bool>>();
  auto settled = promise->get_future();
  backlog_->add_work([this, promise] {
    const bool all = settle();
    publish();
    promise->set_value(all);
  });
  if (settled.wait_until(end) != std::future_status::ready) return Settled::kLate;
  return settled.get() ? Settled::kYes : Settled::kNo;
}

// What happened before the call is out of the queue when the first marker is. It was reported with
// the paths of that moment, which a folder's move may have changed in between; the event of that
// move is in the queue by then, so it comes before the next marker, and flags both sides. Likewise
// the paths of that event. So it goes on until a round in which no folder moved.
bool Watcher::drain() {
  const std::lock_guard one_at_a_time{barrier_mutex_};
  if (backends_.empty()) return true;
  const auto end = Clock::now() + options_.barrier_patience;
  const auto disturbances = [&] {
    const std::lock_guard lock{progress_mutex_};
    return progress_.disturbances;
  };
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    const std::uint64_t before = disturbances();
    const std::uint64_t number = marker_.fetch_add(1, std::memory_order_acq_rel) + 1;
    if (!put_markers(number) || !wait_for_markers(number, end)) return false;
    const Settled settled = settle_there(end);
    if (settled == Settled::kLate) return false;
    if (round > 0 && settled == Settled::kYes && disturbances() == before) return true;
  }
  return false;
}

Status Watcher::barrier() {
  barriers_.fetch_add(1, std::memory_order_relaxed);
  if (!drain()) {
    late_barriers_.fetch_add(1, std::memory_order_relaxed);
    marks_.everything("the events of the kernel could not be handled in time");
  }
  flag_unseen();  // also what became unseen in this cycle, for queries before it ends
  (void)tracker_->barrier();
  return ok();
}

void Watcher::flag_unseen() {
  std::vector<UnseenSubtree> unseen;
  {
    const std::lock_guard lock{progress_mutex_};
    unseen = progress_.unseen;
  }
  for (const UnseenSubtree& subtree : unseen) marks_.changed_below(clean_path(subtree.path));
}

Result<CycleAnswer> Watcher::begin_cycle(const std::optional<CycleRequest>& request) {
  if (auto drained = barrier(); !drained) return drained.error();
  const std::unique_lock lock{cycle_mutex_};
  flag_unseen();
  auto answer = request ? tracker_->cycle(*request) : tracker_->next_cycle();
  if (!answer) return answer;
  marks_.cycle_began();
  flag_unseen();
  (void)tracker_->barrier();
  if (options_.cycle_began) options_.cycle_began(*answer);
  return answer;
}

Result<CycleAnswer> Watcher::cycle(const CycleRequest& request) { return begin_cycle(request); }
Result<CycleAnswer> Watcher::next_cycle() { return begin_cycle(std::nullopt); }

Status Watcher::mark(std::span<const std::string> paths, bool below) {
  return tracker_->mark(paths, below);
}

Status Watcher::query(std::span<const std::string> paths, std::optional<CycleId> since,
                      std::vector<std::uint8_t>& answers) {
  if (auto drained = barrier(); !drained) return drained;
  const std::shared_lock lock{cycle_mutex_};
  return tracker_->query(paths, since, answers);
}

Result<History> Watcher::snapshot() {
  if (auto drained = barrier(); !drained) return drained.error();
  const std::shared_lock lock{cycle_mutex_};
  return tracker_->snapshot();
}

Result<std::vector<std::string>> Watcher::roots() { return tracker_->roots(); }
Status Watcher::save() { return tracker_->save(); }

std::string Watcher::backends() const {
  const std::lock_guard lock{progress_mutex_};
  return progress_.backends;
}

Result<TrackerStatus> Watcher::status() {
  TrackerStatus status = tracker_->current_status();
  const std::lock_guard lock{progress_mutex_};
  status.watch = WatchStatus{.backend = progress_.backends,
                             .process = ::getpid(),
                             .started_unix = started_unix_,
                             .watches = progress_.watches,
                             .events = progress_.events,
                             .changes = marks_.changes(),
                             .overflows = progress_.overflows,
                             .backlog_bytes = backlog_->bytes(),
                             .barriers = barriers_,
                             .late_barriers = late_barriers_,
                             .requests = requests_,
                             .unseen_count = progress_.unseen.size(),
                             .unseen = progress_.unseen};
  if (status.watch->unseen.size() > kMostListed) status.watch->unseen.resize(kMostListed);
  return status;
}

Status Watcher::close() {
  if (std::exchange(closed_, true)) return ok();
  if (handler_.joinable()) {
    (void)barrier();
    stops_.store(true, std::memory_order_release);
    backlog_->stop();
    handler_.join();
  } else if (backlog_) {
    backlog_->stop();
  }
  std::error_code ignored;
  std::filesystem::remove_all(markers_, ignored);
  return tracker_->close();
}

}  // namespace bloomery::tracker
