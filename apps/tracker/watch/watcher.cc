#include "apps/tracker/watch/watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "apps/tracker/events/fanotify_watch.h"
#include "apps/tracker/events/inotify_watch.h"
#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/state_files.h"
#include "apps/tracker/state/unix_time.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr std::chrono::milliseconds kIdle{200};  // then what was left open is looked at again

// Where each root really is: the kernel knows no other names.
Result<std::vector<std::string>> real_roots(const std::vector<std::string>& roots) {
  std::vector<std::string> real;
  for (const std::string& root : roots) {
    std::error_code failed;
    const auto path = std::filesystem::canonical(root, failed);
    if (failed || !std::filesystem::is_directory(path, failed))
      return Error{ErrorCode::kIo, message("ROOT ", root, ": is not a folder that can be watched",
                                           failed ? ": " + failed.message() : "")};
    real.push_back("/" + clean_path(path.string()));
  }
  return real;
}

}  // namespace

Result<std::unique_ptr<Watcher>> Watcher::start(WatcherOptions options) {
  auto roots = real_roots(options.tracker.roots.value_or(std::vector<std::string>{}));
  if (!roots) return roots.error();
  options.tracker.roots = std::move(*roots);
  options.tracker.watching = true;
  options.tracker.background = true;
  auto tracker = Tracker::open(options.tracker);
  if (!tracker) return tracker.error();
  const std::vector<std::string> drives = (*tracker)->settings().drives;
  auto watcher =
      std::unique_ptr<Watcher>{new Watcher{std::move(options), std::move(*tracker), drives}};
  if (auto begun = watcher->begin_watching(); !begun) return begun.error();
  return watcher;
}

Watcher::Watcher(WatcherOptions options, std::unique_ptr<Tracker> tracker,
                 const std::vector<std::string>& drives)
    : options_{std::move(options)},
      markers_{std::filesystem::absolute(options_.tracker.folder) / kMarkerFolder},
      tracker_{std::move(tracker)},
      marks_{*tracker_, options_.tracker.folder, drives},
      started_unix_{unix_now()} {}

Watcher::~Watcher() { (void)close(); }

Status Watcher::open_backends() {
  std::error_code failed;
  std::filesystem::remove_all(markers_, failed);
  std::filesystem::create_directory(markers_, failed);
  if (failed)
    return Error{ErrorCode::kIo,
                 message(markers_.string(), ": cannot be made: ", failed.message())};
  if (options_.backend != WatchChoice::kInotify) {
    auto fanotify = FanotifyWatch::open(marks_, markers_);
    if (fanotify) {
      backends_.push_back(std::move(*fanotify));
    } else if (options_.backend == WatchChoice::kFanotify) {
      return fanotify.error();
    }
  }
  if (options_.backend == WatchChoice::kFanotify) return ok();
  auto inotify = InotifyWatch::open(
      marks_, {.markers = markers_, .most_watches = options_.most_inotify_watches});
  if (!inotify) return inotify.error();
  backends_.push_back(std::move(*inotify));
  return ok();
}

// The handler does not run yet: this thread stands in for it.
Status Watcher::begin_watching() {
  if (!options_.tracker.roots->empty()) {
    if (auto opened = open_backends(); !opened) return opened;
    mounts_ = Descriptor{::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)};
    mounts_checked_ = Descriptor{::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)};
  }
  std::vector<int> queues;
  for (const auto& backend : backends_) queues.push_back(backend->queue());
  backlog_ = std::make_unique<WatchBacklog>(queues, mounts_.get(), options_.backlog_bytes);
  if (auto started = backlog_->start(); !started) return started;
  recovered_.resize(backends_.size());
  passed_.resize(backends_.size());
  assign_regions();
  // No watcher saw what happened until now.
  tracker_->mark_everything(message("the watcher began at ", started_unix_));
  note_unseen();
  publish();
  handler_ = std::thread{[this] { handle_entries(); }};
  return ok();
}

// Each region goes to the first back end that can watch it.
void Watcher::assign_regions() {
  const auto mounts = read_mounts();
  known_mounts_ = mounts ? *mounts : std::vector<Mount>{};
  regions_ = regions_of(*options_.tracker.roots, known_mounts_);
  std::vector<Region> left;
  unwatched_.clear();
  by_inotify_.clear();
  for (const Region& region : regions_)
    (region.unseen.empty() ? left : unwatched_).push_back(region);
  for (const auto& backend : backends_) {
    std::vector<Region> asked;
    for (Region& region : left) {
      const bool one_name_only = backend->name() == "inotify" && !region.twin.empty();
      if (one_name_only) {
        unwatched_.push_back(region);
        unwatched_.back().unseen = message("inotify watches the same folders as ", region.twin);
      } else {
        asked.push_back(region);
      }
    }
    left = backend->watch(asked);
    if (backend->name() == "inotify") by_inotify_ = std::move(asked);
  }
  // A missing root of the last back end is found by the back end itself, which reports it.
  if (!backends_.empty() && backends_.back()->name() == "inotify") left.clear();
  unwatched_.insert(unwatched_.end(), left.begin(), left.end());
}

std::string Watcher::names_of_backends() const {
  std::string names;
  for (const auto& backend : backends_) {
    if (backend->watches() == 0 && backends_.size() > 1) continue;
    names += names.empty() ? "" : " and ";
    names += backend->name();
  }
  return names.empty() ? "none" : names;
}

// --- the handler

void Watcher::handle_entries() {
  bool settled = true;
  for (;;) {
    WatchBacklog::Entry entry = backlog_->take(kIdle);
    if (entry.kind == WatchBacklog::Entry::Kind::kNothing) {
      if (stops_.load(std::memory_order_acquire)) return;
      if (!settled) settled = settle();
    } else {
      settled = false;
      handle_entry(entry);
    }
    publish();
    if (entry.work) entry.work();  // the waiting thread finds everything handled
  }
}

void Watcher::handle_entry(WatchBacklog::Entry& entry) {
  switch (entry.kind) {
    case WatchBacklog::Entry::Kind::kEvents: {
      WatchBackend& backend = *backends_[entry.source];
      const std::uint64_t before = backend.overflows();
      backend.handle(entry.bytes);
      if (backend.overflows() != before) handle_loss(entry.source, entry.number);
      return;
    }
    case WatchBacklog::Entry::Kind::kLost:
      ++losses_;
      return handle_loss(entry.source, entry.number);
    case WatchBacklog::Entry::Kind::kMounts:
      return check_mounts();
    default:
      return;
  }
}

// Markers may be among what was lost: everything is flagged, so a waiting barrier need not.
void Watcher::handle_loss(std::size_t source, std::uint64_t number) {
  constexpr std::string_view kReason = "a queue of the watcher was full, and changes were lost";
  marks_.everything(kReason);
  if (number > recovered_[source]) {
    recovered_[source] = backlog_->last_number();
    backends_[source]->recover();
    marks_.everything(kReason);
  }
  passed_[source] = marker_.load(std::memory_order_acquire);
}

std::uint64_t Watcher::disturbances() const {
  std::uint64_t sum = 0;
  for (const auto& backend : backends_) sum += backend->disturbances();
  return sum;
}

// The kernel announces what is mounted and unmounted, but not that a mount point is elsewhere
// because a folder above it was moved.
void Watcher::check_mounts() {
  pollfd polled{mounts_checked_.get(), POLLPRI, 0};
  const bool announced = !mounts_checked_.valid() || ::poll(&polled, 1, 0) != 0;
  const std::uint64_t moves = disturbances();
  if (!announced && moves == std::exchange(moves_checked_, moves)) return;
  moves_checked_ = moves;
  const auto mounts = read_mounts();
  const auto now = regions_of(*options_.tracker.roots, mounts ? *mounts : std::vector<Mount>{});
  if (now == regions_) return;
  const std::vector<Region> before = regions_;
  assign_regions();
  // inotify looked at its tree anew: what it found there may have changed before.
  if (names_of_backends().ends_with("inotify"))
    marks_.everything("something was mounted or unmounted in the watched tree");
  const auto tell = [&](const std::vector<Region>& these, const std::vector<Region>& those) {
    for (const Region& region : these)
      if (std::ranges::find(those, region) == those.end())
        marks_.changed_below(clean_path(region.path));
  };
  tell(before, now);
  tell(now, before);
  // The table was read once more meanwhile, and may have changed in between.
  tell(before, regions_);
  tell(regions_, before);
}

bool Watcher::settle() {
  check_mounts();
  bool all = true;
  for (const auto& backend : backends_) all = backend->settle() && all;
  note_unseen();
  return all;
}

void Watcher::note_unseen() {
  std::vector<UnseenSubtree> unseen;
  for (const auto& backend : backends_)
    for (UnseenSubtree& subtree : backend->unseen()) unseen.push_back(std::move(subtree));
  for (const Region& region : unwatched_) unseen.push_back({region.path, region.unseen});
  if (!by_inotify_.empty())
    for (UnseenSubtree& subtree :
         exported_subtrees(by_inotify_, read_exports(options_.export_tables), known_mounts_))
      unseen.push_back(std::move(subtree));
  const std::lock_guard lock{progress_mutex_};
  progress_.unseen = std::move(unseen);
  progress_.backends = names_of_backends();
}

void Watcher::publish() {
  const std::lock_guard lock{progress_mutex_};
  progress_.markers.resize(backends_.size());
  progress_.disturbances = disturbances();
  progress_.watches = progress_.events = 0;
  progress_.overflows = losses_;
  for (std::size_t i = 0; i < backends_.size(); ++i) {
    const WatchBackend& backend = *backends_[i];
    progress_.markers[i] = std::max(backend.marker_seen(), passed_[i]);
    progress_.watches += backend.watches();
    progress_.events += backend.events();
    progress_.overflows += backend.overflows();
  }
  progressed_.notify_all();
}

}  // namespace bloomery::tracker
