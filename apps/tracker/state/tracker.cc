#include "apps/tracker/state/tracker.h"

#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/tracker_core.h"

namespace bloomery::tracker {
namespace {

std::int64_t now_of(const TrackerOptions& options) {
  if (options.now_unix) return options.now_unix();
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Result<Tracker> Tracker::open(TrackerOptions options) {
  if (options.read_only && options.background)
    return Error{ErrorCode::kInvalidArgument, "a tracker that is only read has no threads"};
  std::optional<StateLock> lock;
  if (!options.read_only) {
    auto taken = StateLock::take(options.folder, options.lock_patience);
    if (!taken) return taken.error();
    lock.emplace(std::move(*taken));
  }
  auto loaded = load_book(options, now_of(options));
  if (!loaded) return loaded.error();
  const bool background = options.background;
  auto core = std::make_unique<Core>(std::move(options), std::move(lock), std::move(*loaded));
  if (background)
    if (auto started = core->start(); !started) return started.error();
  return Tracker{std::move(core)};
}

Tracker::Tracker(std::unique_ptr<Core> core) : core_{std::move(core)} {}
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker::~Tracker() = default;

bool Tracker::mark(std::string_view path) { return core_->push(path, MarkQueue::Reach::kPath); }

bool Tracker::mark(std::string_view bucket, std::string_view path) {
  // The original joins first and cleans then: ".." leads out of a bucket there.
  if (mode() == Mode::kAdaptive) return mark(clean_path(bucket, path));
  std::string joined{bucket};
  if (!bucket.empty() && !path.empty()) joined += '/';
  return mark(joined += path);
}

bool Tracker::mark_below(std::string_view path) {
  return core_->push(path, MarkQueue::Reach::kBelow);
}

void Tracker::mark_everything(std::string_view reason) { core_->flag_everything(reason); }
void Tracker::barrier() { core_->barrier(); }

Result<CycleAnswer> Tracker::cycle(const CycleRequest& request) { return core_->cycle(request); }
Result<CycleAnswer> Tracker::next_cycle() { return core_->cycle(std::nullopt); }

bool Tracker::may_have_changed(std::string_view path, CycleId since) const {
  return core_->with_book([&](const Book& book) { return book.may_have_changed(path, since); });
}

void Tracker::may_have_changed(std::span<const std::string> paths, CycleId since,
                               std::span<std::uint8_t> answers) const {
  core_->may_have_changed(paths, since, answers);
}

CycleId Tracker::usual_since() const {
  return core_->with_book([](const Book& book) { return book.usual_since(); });
}

Result<History> Tracker::snapshot() const {
  return core_->with_book([](const Book& book) -> Result<History> {
    if (book.state() == nullptr)
      return Error{ErrorCode::kUnsupported, "MinIO's tracker shares its filters in its own way"};
    return book.state()->history.snapshot();
  });
}

Settings Tracker::settings() const {
  return core_->with_book([](const Book& book) {
    return book.state() == nullptr ? Settings{} : book.state()->settings;
  });
}

TrackerStatus Tracker::status() const { return core_->status(); }
Mode Tracker::mode() const { return core_->mode(); }
std::uint64_t Tracker::epoch() const { return core_->epoch(); }
Status Tracker::check_folder() const { return core_->check_folder(); }
Status Tracker::save() { return core_->save(); }
Status Tracker::close() { return core_->close(); }

}  // namespace bloomery::tracker
