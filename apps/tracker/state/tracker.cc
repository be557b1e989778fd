#include "apps/tracker/state/tracker.h"

#include <unistd.h>

#include <system_error>

#include "apps/tracker/state/coverage.h"
#include "apps/tracker/state/paths.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::tracker {
namespace {

// Between two of these others get the lock: some 100 microseconds.
constexpr std::size_t kMarksPerLock = 1024;
constexpr std::size_t kPathsPerLock = 256;

std::int64_t now_of(const TrackerOptions& options) {
  if (options.now_unix) return options.now_unix();
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Result<std::unique_ptr<Tracker>> Tracker::open(TrackerOptions options) {
  if (options.read_only && options.background)
    return Error{ErrorCode::kInvalidArgument, "a tracker that is only read has no threads"};
  std::optional<StateLock> lock;
  if (!options.read_only) {
    auto taken = StateLock::take(options.folder, options.lock_patience);
    if (!taken) return taken.error();
    lock.emplace(std::move(*taken));
  }
  auto loaded = load_tracker(options, now_of(options));
  if (!loaded) return loaded.error();
  const bool background = options.background;
  std::unique_ptr<Tracker> tracker{
      new Tracker{std::move(options), std::move(lock), std::move(*loaded)}};
  if (background)
    if (auto started = tracker->start(); !started) return started.error();
  return tracker;
}

Tracker::Tracker(TrackerOptions options, std::optional<StateLock> lock, LoadedTracker loaded)
    : options_{std::move(options)},
      lock_{std::move(lock)},
      folder_{options_.folder},
      loaded_{std::move(loaded)},
      queue_{options_.queue_bytes} {
  dirty_ = loaded_.is_new || loaded_.is_changed;
}

Tracker::~Tracker() { (void)close(); }

std::int64_t Tracker::now() const { return now_of(options_); }

Status Tracker::start() {
  if (auto saved = save_as(true, true); !saved) return saved;
  session_ = true;
  beat();
  try {
    collector_ = std::thread{[this] { collect(); }};
    saver_ = std::thread{[this] { keep_saved(); }};
  } catch (const std::system_error& failed) {  // close() ends what has begun
    return Error{ErrorCode::kTooLarge,
                 message(options_.folder.string(),
                         ": the tracker could not start its threads: ", failed.code().message(),
                         "; allow this user more processes, or this process more memory")};
  }
  return ok();
}

bool Tracker::push(std::string_view path, MarkQueue::Reach reach) {
  if (session_) return queue_.push(path, reach);
  const std::lock_guard lock{model_mutex_};
  if (reach == MarkQueue::Reach::kBelow) {
    loaded_.model.mark_below(path);
  } else {
    loaded_.model.mark(path);
  }
  loaded_.model.flush();
  ++marks_;
  dirty_ = true;
  return true;
}

bool Tracker::mark(std::string_view path) { return push(path, MarkQueue::Reach::kPath); }

bool Tracker::mark(std::string_view bucket, std::string_view path) {
  // The original joins first and cleans then: ".." leads out of a bucket there.
  if (mode() == Mode::kAdaptive) return mark(clean_path(bucket, path));
  std::string joined{bucket};
  if (!bucket.empty() && !path.empty()) joined += '/';
  return mark(joined += path);
}

bool Tracker::mark_below(std::string_view path) { return push(path, MarkQueue::Reach::kBelow); }

Status Tracker::mark(std::span<const std::string> paths, bool below) {
  for (const std::string& path : paths) (void)(below ? mark_below(path) : mark(path));
  return ok();
}

void Tracker::mark_everything(std::string_view reason) {
  const std::lock_guard lock{model_mutex_};
  loaded_.model.flag_everything(reason);
  dirty_ = true;
}

// A batch that was taken before a cycle began may be applied after: then its marks are in the newer
// cycle, and a query since either cycle finds them.
void Tracker::collect() {
  MarkQueue::Batch batch;
  for (;;) {
    const std::uint32_t seen = queue_.signal();
    const std::uint64_t asked = barriers_asked_.load(std::memory_order_acquire);
    const bool stops = collector_stops_.load(std::memory_order_acquire);
    queue_.take(batch);
    apply(batch);
    {
      const std::lock_guard lock{barrier_mutex_};
      if (barriers_done_ != asked) {
        barriers_done_ = asked;
        barrier_done_.notify_all();
      }
    }
    if (!batch.empty()) continue;
    if (stops) return;
    queue_.wait(seen);
  }
}

void Tracker::apply(const MarkQueue::Batch& batch) {
  if (batch.empty()) return;
  std::unique_lock lock{model_mutex_};
  TrackerModel& model = loaded_.model;
  if (batch.lost() > 0)
    model.flag_everything(
        message("the queue was full: ", batch.lost(), " marks or more were lost"));
  std::size_t since_lock = 0;
  batch.for_each([&](std::string_view path, MarkQueue::Reach reach) {
    if (reach == MarkQueue::Reach::kBelow) {
      model.mark_below(path);
    } else {
      model.mark(path);
    }
    if (++since_lock < kMarksPerLock) return;
    model.flush();
    since_lock = 0;
    lock.unlock();
    lock.lock();
  });
  model.flush();
  marks_ += batch.marks();
  lost_ += batch.lost();
  dirty_ = true;
}

Status Tracker::barrier() {
  if (!session_) return ok();
  const std::uint64_t mine = barriers_asked_.fetch_add(1, std::memory_order_acq_rel) + 1;
  queue_.wake();
  std::unique_lock lock{barrier_mutex_};
  barrier_done_.wait(lock, [&] { return barriers_done_ >= mine; });
  return ok();
}

std::string Tracker::gap_from_now_on() const {
  if (loaded_.mode == Mode::kMinioExact) return {};  // it has MinIO's mistakes
  const State* state = loaded_.model.state();
  if (state == nullptr) return tracker::gap_from_now_on(false, false, loaded_.marks_only);
  return tracker::gap_from_now_on(state->watched, options_.watching, state->marks_only);
}

Result<CycleAnswer> Tracker::begin_cycle(const std::optional<CycleRequest>& request) {
  (void)barrier();
  Result<CycleAnswer> answer = CycleAnswer{};
  bool changes = false;
  {
    const std::lock_guard lock{model_mutex_};
    const CycleRequest asked = request ? *request : loaded_.model.next_request();
    changes = asked.current != 0 && asked.oldest_clean.empty();
    answer = loaded_.model.cycle(asked, now());
    if (!answer) return answer;
    if (changes) {
      loaded_.gap = gap_from_now_on();
      dirty_ = true;
    }
    if (changes && !loaded_.gap.empty()) {
      loaded_.model.flag_everything(loaded_.gap);
      answer->knows_from = answer->current.index + 1;
      answer->complete = false;
    }
  }
  if (!changes) return answer;
  if (auto saved = save(); !saved) return saved.error();
  return answer;
}

void Tracker::beat() const {
  // A heartbeat that cannot be written is not read either: then more counts as unseen, not less.
  if (check_folder()) (void)write_heartbeat(options_.folder, {now(), ::getpid()});
}

void Tracker::keep_saved() {
  using Clock = std::chrono::steady_clock;
  auto next_save = Clock::now() + options_.save_every;
  std::unique_lock lock{saver_mutex_};
  while (!saver_stops_) {
    const auto next = std::min(next_save, Clock::now() + options_.heartbeat_every);
    if (saver_wakes_.wait_until(lock, next, [&] { return saver_stops_; })) return;
    lock.unlock();
    beat();
    if (Clock::now() >= next_save) {
      (void)save();  // what failed is in the status, and tried again next time
      next_save = Clock::now() + options_.save_every;
    }
    lock.lock();
  }
}

std::vector<std::byte> Tracker::encoded(bool session_open) {
  std::unique_lock lock{model_mutex_};
  dirty_ = false;
  if (MinioExact* minio = loaded_.model.minio()) return minio->encode(now());
  State& state = *loaded_.model.state();
  ++state.sequence;
  state.saved_unix = now();
  state.session_open = session_open;
  const State snapshot = state.snapshot();
  lock.unlock();
  return encode_state(snapshot);
}

Status Tracker::save_as(bool session_open, bool always) {
  const std::lock_guard lock{save_mutex_};
  if (options_.read_only || (!always && !dirty_)) return ok();
  if (auto there = check_folder(); !there) return there;
  const std::vector<std::byte> bytes = encoded(session_open);
  remove_seal(options_.folder);
  Copies::Saved saved = loaded_.copies.save(bytes);
  // Last: a state without a seal is saved, but proves nothing.
  const Status sealed = seal(bytes, saved);
  if (!sealed) saved.failures.push_back(sealed.error());
  const std::lock_guard model_lock{model_mutex_};
  loaded_.valid_copies = saved.copies;
  loaded_.problems.clear();
  for (const Error& failure : saved.failures) loaded_.problems.push_back(failure.message);
  if (saved.copies > 0 && sealed) return ok();
  dirty_ = true;
  return saved.copies > 0 ? sealed : Status{saved.failures.front()};
}

Status Tracker::seal(ByteView bytes, const Copies::Saved& saved) const {
  if (saved.copies == 0 || loaded_.mode == Mode::kMinioExact) return ok();
  Seal seal{.content = xxh3_64(bytes), .epoch = loaded_.epoch, .marks_only = loaded_.marks_only};
  for (const auto& folder : saved.folders)
    if (const auto file = identity_of(folder / loaded_.copies.name))
      seal.copies.push_back({folder.string(), *file});
  for (const auto& folder : loaded_.copies.folders)
    if (folder != options_.folder) seal.drives.push_back(folder.string());
  return write_seal(options_.folder, seal);
}

Status Tracker::close() {
  if (!session_) return save();
  collector_stops_.store(true, std::memory_order_release);
  queue_.wake();
  if (collector_.joinable()) collector_.join();
  {
    const std::lock_guard lock{saver_mutex_};
    saver_stops_ = true;
  }
  saver_wakes_.notify_all();
  if (saver_.joinable()) saver_.join();
  session_ = false;
  beat();
  return save_as(false, true);
}

void Tracker::may_have_changed(std::span<const std::string> paths, CycleId since,
                               std::span<std::uint8_t> answers) const {
  assert(answers.size() >= paths.size());
  for (std::size_t at = 0; at < paths.size(); at += kPathsPerLock) {
    const std::lock_guard lock{model_mutex_};
    for (std::size_t i = at; i < std::min(at + kPathsPerLock, paths.size()); ++i)
      answers[i] = loaded_.model.may_have_changed(paths[i], since) ? 1 : 0;
  }
}

bool Tracker::may_have_changed(std::string_view path, CycleId since) const {
  const std::lock_guard lock{model_mutex_};
  return loaded_.model.may_have_changed(path, since);
}

Status Tracker::query(std::span<const std::string> paths, std::optional<CycleId> since,
                      std::vector<std::uint8_t>& answers) {
  answers.resize(paths.size());
  may_have_changed(paths, since ? *since : default_since(), answers);
  return ok();
}

CycleId Tracker::default_since() const {
  const std::lock_guard lock{model_mutex_};
  return loaded_.model.default_since();
}

Result<History> Tracker::snapshot() {
  const std::lock_guard lock{model_mutex_};
  const State* state = loaded_.model.state();
  if (state == nullptr)
    return Error{ErrorCode::kUnsupported, "snapshots are not supported in MinIO's modes"};
  return state->history.snapshot();
}

Settings Tracker::settings() const {
  const std::lock_guard lock{model_mutex_};
  const State* state = loaded_.model.state();
  return state == nullptr ? Settings{} : state->settings;
}

TrackerStatus Tracker::current_status() const {
  static constexpr std::string_view kModes[] = {"adaptive", "minio", "minio-exact"};
  TrackerStatus status;
  const std::lock_guard lock{model_mutex_};
  status.mode = kModes[static_cast<std::size_t>(loaded_.mode)];
  loaded_.model.describe(status);
  if (loaded_.model.is_minio()) status.marks_only = loaded_.marks_only;
  status.gap = loaded_.gap;
  status.marks = marks_;
  status.lost_marks = lost_;
  status.dirty = dirty_;
  if (const auto heartbeat = read_heartbeat(options_.folder))
    status.heartbeat_unix = heartbeat->unix_seconds;
  for (const auto& folder : loaded_.copies.folders) status.drives.push_back(folder.string());
  status.copies = loaded_.valid_copies;
  status.problems = loaded_.problems;
  return status;
}

}  // namespace bloomery::tracker
