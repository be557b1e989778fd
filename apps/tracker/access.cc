#include "apps/tracker/access.h"

#include "apps/tracker/state_files.h"
#include "apps/tracker/watch_access.h"
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

bool state_exists(const TrackerOptions& options) {
  std::vector<std::filesystem::path> folders{options.folder};
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

std::span<const AccessOpener> access_openers() { return kOpeners; }

Result<std::unique_ptr<TrackerAccess>> open_access(const AccessOptions& options) {
  for (const AccessOpener opener : access_openers()) {
    auto access = opener(options);
    if (!access || *access) return access;
  }
  return Error{ErrorCode::kIo,
               message(options.tracker.folder.string(), ": the tracker cannot be reached")};
}

}  // namespace bloomery::tracker
