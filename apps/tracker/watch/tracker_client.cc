#include "apps/tracker/watch/tracker_client.h"

#include "apps/tracker/fleet/memory.h"
#include "apps/tracker/state/seal.h"
#include "apps/tracker/state/state_files.h"
#include "apps/tracker/watch/access.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

class LocalAccess final : public TrackerAccess {
 public:
  explicit LocalAccess(Tracker tracker) : tracker_{std::move(tracker)} {}

  Status mark(std::span<const std::string> paths, bool below) override {
    for (const std::string& path : paths)
      (void)(below ? tracker_.mark_below(path) : tracker_.mark(path));
    return ok();
  }
  Result<CycleAnswer> cycle(const CycleRequest& request) override {
    return tracker_.cycle(request);
  }
  Result<CycleAnswer> next_cycle() override { return tracker_.next_cycle(); }
  Status query(std::span<const std::string> paths, std::optional<CycleId> since,
               std::vector<std::uint8_t>& answers) override {
    answers.resize(paths.size());
    tracker_.may_have_changed(paths, since ? *since : tracker_.usual_since(), answers);
    return ok();
  }
  Status barrier() override { return ok(); }
  Result<History> snapshot() override { return tracker_.snapshot(); }
  Result<TrackerStatus> status() override { return tracker_.status(); }
  Result<std::vector<std::string>> roots() override { return tracker_.settings().roots; }
  Status close() override { return tracker_.close(); }

 private:
  Tracker tracker_;
};

// A fleet's tracker, reached without its Redis: it knows at most what one of the servers saw.
class LoneAccess final : public TrackerAccess {
 public:
  LoneAccess(std::unique_ptr<TrackerAccess> inner, std::string gap)
      : inner_{std::move(inner)}, gap_{std::move(gap)} {}

  Status mark(std::span<const std::string> paths, bool below) override {
    return inner_->mark(paths, below);
  }
  Result<CycleAnswer> cycle(const CycleRequest& request) override {
    return doubted(inner_->cycle(request));
  }
  Result<CycleAnswer> next_cycle() override { return doubted(inner_->next_cycle()); }
  Status query(std::span<const std::string> paths, std::optional<CycleId>,
               std::vector<std::uint8_t>& answers) override {
    answers.assign(paths.size(), 1);
    return ok();
  }
  Status barrier() override { return inner_->barrier(); }
  Result<History> snapshot() override {
    auto history = inner_->snapshot();
    if (history) history->current().filter.flag_everything(gap_);
    return history;
  }
  Result<TrackerStatus> status() override {
    auto status = inner_->status();
    if (status) status->gap = gap_;
    return status;
  }
  Result<std::vector<std::string>> roots() override { return inner_->roots(); }
  Status close() override { return inner_->close(); }

 private:
  static Result<CycleAnswer> doubted(Result<CycleAnswer> answer) {
    if (!answer) return answer;
    answer->complete = false;
    answer->knows_from = answer->current.index + 1;
    return answer;
  }
  std::unique_ptr<TrackerAccess> inner_;
  std::string gap_;
};

// Empty where the folder is none of a fleet's.
std::string gap_of_fleet(const std::filesystem::path& folder) {
  for (const std::string_view name : {kLeaderMemoryFile, kNodeMemoryFile}) {
    const auto file = folder / name;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    const std::string fleet = fleet_in(file);
    return message(
        "this state belongs to the fleet ", fleet.empty() ? "of an unknown name" : fleet,
        ", whose other servers' changes are not known here; give its --redis, or remove ",
        file.string(), " if there is no fleet any more");
  }
  return {};
}

bool state_exists(const TrackerOptions& options) {
  std::vector<std::filesystem::path> folders{options.folder};
  if (const auto seal = read_seal(options.folder))
    folders.insert(folders.end(), seal->drives.begin(), seal->drives.end());
  if (options.drives) folders.insert(folders.end(), options.drives->begin(), options.drives->end());
  return Copies{folders, std::string{kStateFile}}.any_exists() ||
         Copies{folders, std::string{kMinioStateFile}}.any_exists();
}

// Commands hold the lock for as long as it takes to write a file.
constexpr std::chrono::seconds kPatience{10};

constexpr AccessOpener kOpeners[] = {open_watcher, open_local};

}  // namespace

Result<std::unique_ptr<TrackerAccess>> open_local(const AccessOptions& options) {
  if (options.must_exist && !state_exists(options.tracker))
    return Error{ErrorCode::kIo, message(options.tracker.folder.string(),
                                         ": there is no tracker; `track mark` or `track cycle` "
                                         "begins one")};
  TrackerOptions local = options.tracker;
  local.background = false;
  local.lock_patience = kPatience;
  auto tracker = Tracker::open(std::move(local));
  if (!tracker) return tracker.error();
  return std::unique_ptr<TrackerAccess>{std::make_unique<LocalAccess>(std::move(*tracker))};
}

Result<Coverage> TrackerAccess::coverage() {
  const auto known = status();
  if (!known) return known.error();
  return coverage_of(*known);
}

std::span<const AccessOpener> access_openers() { return kOpeners; }

Result<std::unique_ptr<TrackerAccess>> open_access(const AccessOptions& options) {
  for (const AccessOpener opener : access_openers()) {
    auto access = opener(options);
    if (access && !*access) continue;
    if (!access) return access;
    std::string gap = gap_of_fleet(options.tracker.folder);
    if (gap.empty()) return access;
    return std::unique_ptr<TrackerAccess>{
        std::make_unique<LoneAccess>(std::move(*access), std::move(gap))};
  }
  return Error{ErrorCode::kIo,
               message(options.tracker.folder.string(), ": the tracker cannot be reached")};
}

}  // namespace bloomery::tracker
