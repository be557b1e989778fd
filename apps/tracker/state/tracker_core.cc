#include "apps/tracker/state/tracker_core.h"

#include <unistd.h>

#include <system_error>

#include "apps/tracker/state/coverage.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::tracker {
namespace {

// Between two of these others get the lock: some 100 microseconds.
constexpr std::size_t kMarksPerLock = 1024;
constexpr std::size_t kPathsPerLock = 256;

}  // namespace

Tracker::Core::Core(TrackerOptions options, std::optional<StateLock> lock, LoadedBook loaded)
    : options_{std::move(options)},
      lock_{std::move(lock)},
      folder_{options_.folder},
      loaded_{std::move(loaded)},
      queue_{options_.queue_bytes} {
  dirty_ = loaded_.is_new || loaded_.is_changed;
}

Tracker::Core::~Core() { (void)close(); }

std::int64_t Tracker::Core::now() const {
  if (options_.now_unix) return options_.now_unix();
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Status Tracker::Core::start() {
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

bool Tracker::Core::push(std::string_view path, MarkQueue::Reach reach) {
  if (session_) return queue_.push(path, reach);
  const std::lock_guard lock{book_mutex_};
  if (reach == MarkQueue::Reach::kBelow) {
    loaded_.book.mark_below(path);
  } else {
    loaded_.book.mark(path);
  }
  loaded_.book.flush();
  ++marks_;
  dirty_ = true;
  return true;
}

void Tracker::Core::flag_everything(std::string_view reason) {
  const std::lock_guard lock{book_mutex_};
  loaded_.book.flag_everything(reason);
  dirty_ = true;
}

// A batch that was taken before a cycle began may be applied after: then its marks are in the newer
// cycle, and whoever asks since either finds them.
void Tracker::Core::collect() {
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

void Tracker::Core::apply(const MarkQueue::Batch& batch) {
  if (batch.empty()) return;
  std::unique_lock lock{book_mutex_};
  Book& book = loaded_.book;
  if (batch.lost() > 0)
    book.flag_everything(message("the queue was full: ", batch.lost(), " marks or more were lost"));
  std::size_t since_lock = 0;
  batch.for_each([&](std::string_view path, MarkQueue::Reach reach) {
    if (reach == MarkQueue::Reach::kBelow) {
      book.mark_below(path);
    } else {
      book.mark(path);
    }
    if (++since_lock < kMarksPerLock) return;
    book.flush();
    since_lock = 0;
    lock.unlock();
    lock.lock();
  });
  book.flush();
  marks_ += batch.marks();
  lost_ += batch.lost();
  dirty_ = true;
}

void Tracker::Core::barrier() {
  if (!session_) return;
  const std::uint64_t mine = barriers_asked_.fetch_add(1, std::memory_order_acq_rel) + 1;
  queue_.wake();
  std::unique_lock lock{barrier_mutex_};
  barrier_done_.wait(lock, [&] { return barriers_done_ >= mine; });
}

std::string Tracker::Core::gap_from_now_on() const {
  if (loaded_.mode == Mode::kMinioExact) return {};  // it has MinIO's mistakes
  const State* state = loaded_.book.state();
  if (state == nullptr) return tracker::gap_from_now_on(false, false, loaded_.marks_only);
  return tracker::gap_from_now_on(state->watched, options_.watching, state->marks_only);
}

Result<CycleAnswer> Tracker::Core::cycle(const std::optional<CycleRequest>& request) {
  barrier();
  Result<CycleAnswer> answer = CycleAnswer{};
  bool changes = false;
  {
    const std::lock_guard lock{book_mutex_};
    const CycleRequest asked = request ? *request : loaded_.book.next_request();
    changes = asked.current != 0 && asked.oldest_clean.empty();
    answer = loaded_.book.cycle(asked, now());
    if (!answer) return answer;
    if (changes) {
      loaded_.gap = gap_from_now_on();
      dirty_ = true;
    }
    if (changes && !loaded_.gap.empty()) {
      loaded_.book.flag_everything(loaded_.gap);
      answer->knows_from = answer->current.index + 1;
      answer->complete = false;
    }
  }
  if (!changes) return answer;
  if (auto saved = save(); !saved) return saved.error();
  return answer;
}

void Tracker::Core::beat() const {
  // A heartbeat that cannot be written is not read either: then more counts as unseen, not less.
  if (check_folder()) (void)write_heartbeat(options_.folder, {now(), ::getpid()});
}

void Tracker::Core::keep_saved() {
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

std::vector<std::byte> Tracker::Core::encoded(bool session_open) {
  std::unique_lock lock{book_mutex_};
  dirty_ = false;
  if (MinioExact* minio = loaded_.book.minio()) return minio->encode(now());
  State& state = *loaded_.book.state();
  ++state.sequence;
  state.saved_unix = now();
  state.session_open = session_open;
  const State snapshot = state.snapshot();
  lock.unlock();
  return encode_state(snapshot);
}

Status Tracker::Core::save_as(bool session_open, bool always) {
  const std::lock_guard lock{save_mutex_};
  if (options_.read_only || (!always && !dirty_)) return ok();
  if (auto there = check_folder(); !there) return there;
  const std::vector<std::byte> bytes = encoded(session_open);
  remove_seal(options_.folder);
  Copies::Saved saved = loaded_.copies.save(bytes);
  // Last: a state without a seal is saved, but not believed.
  const Status sealed = seal(bytes, saved);
  if (!sealed) saved.failures.push_back(sealed.error());
  const std::lock_guard book_lock{book_mutex_};
  loaded_.valid_copies = saved.copies;
  loaded_.problems.clear();
  for (const Error& failure : saved.failures) loaded_.problems.push_back(failure.message);
  if (saved.copies > 0 && sealed) return ok();
  dirty_ = true;
  return saved.copies > 0 ? sealed : Status{saved.failures.front()};
}

Status Tracker::Core::seal(ByteView bytes, const Copies::Saved& saved) const {
  if (saved.copies == 0 || loaded_.mode == Mode::kMinioExact) return ok();
  Seal seal{.content = xxh3_64(bytes), .epoch = loaded_.epoch, .marks_only = loaded_.marks_only};
  for (const auto& folder : saved.folders)
    if (const auto file = identity_of(folder / loaded_.copies.name))
      seal.copies.push_back({folder.string(), *file});
  for (const auto& folder : loaded_.copies.folders)
    if (folder != options_.folder) seal.drives.push_back(folder.string());
  return write_seal(options_.folder, seal);
}

Status Tracker::Core::close() {
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

void Tracker::Core::may_have_changed(std::span<const std::string> paths, CycleId since,
                                     std::span<std::uint8_t> answers) const {
  assert(answers.size() >= paths.size());
  for (std::size_t at = 0; at < paths.size(); at += kPathsPerLock) {
    const std::lock_guard lock{book_mutex_};
    for (std::size_t i = at; i < std::min(at + kPathsPerLock, paths.size()); ++i)
      answers[i] = loaded_.book.may_have_changed(paths[i], since) ? 1 : 0;
  }
}

TrackerStatus Tracker::Core::status() const {
  static constexpr std::string_view kModes[] = {"adaptive", "minio", "minio-exact"};
  TrackerStatus status;
  const std::lock_guard lock{book_mutex_};
  status.mode = kModes[static_cast<std::size_t>(loaded_.mode)];
  loaded_.book.describe(status);
  if (loaded_.book.is_minio()) status.marks_only = loaded_.marks_only;
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
