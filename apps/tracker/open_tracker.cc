#include "apps/tracker/open_tracker.h"

#include "apps/tracker/fleet/memory.h"
#include "apps/tracker/state/seal.h"
#include "apps/tracker/state/state_files.h"
#include "apps/tracker/state/tracker.h"
#include "apps/tracker/watch/client.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

// The tracker of one server of a fleet, used without the fleet's Redis: it knows only the changes
// made through that server, so every path may have changed.
class PartialFleetClient final : public TrackerClient {
 public:
  PartialFleetClient(std::unique_ptr<TrackerClient> inner, std::string gap)
      : inner_{std::move(inner)}, gap_{std::move(gap)} {}

  Status mark(std::span<const std::string> paths, bool below) override {
    return inner_->mark(paths, below);
  }
  Result<CycleAnswer> cycle(const CycleRequest& request) override {
    return incomplete(inner_->cycle(request));
  }
  Result<CycleAnswer> next_cycle() override { return incomplete(inner_->next_cycle()); }
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
  static Result<CycleAnswer> incomplete(Result<CycleAnswer> answer) {
    if (!answer) return answer;
    answer->complete = false;
    answer->knows_from = answer->current.index + 1;
    return answer;
  }
  std::unique_ptr<TrackerClient> inner_;
  std::string gap_;
};

// Why the state of a fleet's server is not enough; empty if the folder belongs to no fleet.
std::string gap_without_fleet(const std::filesystem::path& folder) {
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

// Commands hold the lock for as long as it takes to write a file.
constexpr std::chrono::seconds kPatience{10};

// The files themselves.
Result<std::unique_ptr<TrackerClient>> open_files(const ClientOptions& options) {
  if (options.must_exist && !tracker_exists(options.tracker))
    return Error{ErrorCode::kIo, message(options.tracker.folder.string(),
                                         ": there is no tracker; `track watch` or `track scan` "
                                         "begins one (so do `track mark` and `track cycle`)")};
  TrackerOptions local = options.tracker;
  local.background = false;
  local.lock_patience = kPatience;
  auto tracker = Tracker::open(std::move(local));
  if (!tracker) return tracker.error();
  return std::unique_ptr<TrackerClient>{std::move(*tracker)};
}

}  // namespace

bool tracker_exists(const TrackerOptions& options) {
  std::vector<std::filesystem::path> folders{options.folder};
  if (const auto seal = read_seal(options.folder))
    folders.insert(folders.end(), seal->drives.begin(), seal->drives.end());
  if (options.drives) folders.insert(folders.end(), options.drives->begin(), options.drives->end());
  return Copies{folders, std::string{kStateFile}}.any_exists() ||
         Copies{folders, std::string{kMinioStateFile}}.any_exists();
}

Result<std::unique_ptr<TrackerClient>> open_tracker(const ClientOptions& options) {
  auto client = open_watcher(options);
  if (client && !*client) client = open_files(options);
  if (!client) return client;
  std::string gap = gap_without_fleet(options.tracker.folder);
  if (gap.empty()) return client;
  return std::unique_ptr<TrackerClient>{
      std::make_unique<PartialFleetClient>(std::move(*client), std::move(gap))};
}

Result<ScanReport> scan_with_tracker(const ScanRequest& request) {
  // First, so that a folder that cannot be scanned leaves no new state behind.
  if (auto exists = scan_target(request.folder, {}, {}); !exists) return exists.error();
  auto client = open_tracker(request.client);
  if (!client) return client.error();
  auto setup = begin_scan(request, **client);
  if (!setup) return setup.error();
  if (auto closed = (*client)->close(); !closed) return closed.error();
  client->reset();  // gives up the lock on the state
  return run_scan(request, std::move(*setup));
}

}  // namespace bloomery::tracker
