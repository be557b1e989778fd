#include "apps/tracker/fleet_access.h"

#include <algorithm>

#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

Error of_nodes(std::string_view what) {
  return {ErrorCode::kUnsupported,
          message(what, " of a fleet: its nodes see the changes, each with its own state folder")};
}

std::int64_t unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// What any fleet does; the two below differ in where the cycles come from.
class CyclesOnly : public FleetAccess {
 public:
  Status mark(std::span<const std::string>, bool) override { return of_nodes("no path is marked"); }
  Result<CycleAnswer> cycle(const CycleRequest& request) override {
    if (request.current != 0 || !request.oldest_clean.empty())
      return of_nodes("no cycle is chosen by its number");
    if (!cycle_) return nothing_begun();
    return cycle_->history.answer_from(request.oldest);
  }
  Status query(std::span<const std::string> paths, std::optional<CycleId> since,
               std::vector<std::uint8_t>& answers) override {
    if (!cycle_) return nothing_begun();
    const History& history = cycle_->history;
    const CycleId usual = history.past().empty() ? CycleId{} : history.past().front()->id;
    // What happens in the current cycle the nodes have not said yet.
    const CycleId asked = since.value_or(usual);
    const bool unknown = asked.index >= history.current().id.index;
    answers.clear();
    for (const std::string& path : paths)
      answers.push_back(unknown || history.may_have_changed(path, asked) ? 1 : 0);
    return ok();
  }
  Status barrier() override { return ok(); }  // each node's part of a cycle begins with one
  Result<History> snapshot() override {
    if (!cycle_) return nothing_begun();
    return cycle_->history.snapshot();
  }
  Result<TrackerStatus> status() override { return of_nodes("there is no single state"); }
  Result<std::vector<std::string>> roots() override {
    if (!cycle_) return nothing_begun();
    std::vector<std::string> absolute;
    for (const std::string& root : cycle_->share) absolute.push_back("/" + root);
    return absolute;
  }
  const std::vector<IncompleteShare>& incomplete() const override {
    static const std::vector<IncompleteShare> kNone;
    return cycle_ ? cycle_->incomplete : kNone;
  }

 protected:
  static Error nothing_begun() {
    return {ErrorCode::kInvalidArgument, "a fleet is asked after a cycle was begun"};
  }
  CycleAnswer answer() const {
    const History& history = cycle_->history;
    const auto past = history.past();
    CycleAnswer answer = history.answer_from(past.empty() ? 0 : past.front()->id.index);
    answer.complete = answer.complete && cycle_->incomplete.empty();
    return answer;
  }
  std::optional<FleetCycle> cycle_;
};

class LedFleet final : public CyclesOnly {
 public:
  LedFleet(StoreOpener open, FleetLeaderOptions options)
      : open_{std::move(open)}, options_{std::move(options)} {}

  Result<CycleAnswer> next_cycle() override {
    if (!leader_) {
      auto leader = FleetLeader::elect(open_, options_);
      if (!leader) return leader.error();
      leader_ = std::move(*leader);
    }
    auto begun = leader_->begin_cycle();
    if (!begun) return begun.error();
    cycle_.emplace(std::move(*begun));
    return answer();
  }
  Status finish_scan() override {
    if (!leader_) return nothing_begun();
    return leader_->finish_scan();
  }
  Status close() override {
    leader_.reset();
    return ok();
  }

 private:
  StoreOpener open_;
  FleetLeaderOptions options_;
  std::unique_ptr<FleetLeader> leader_;
};

class UnreachableFleet final : public CyclesOnly {
 public:
  explicit UnreachableFleet(std::string reason) : reason_{std::move(reason)} {}

  Result<CycleAnswer> next_cycle() override {
    cycle_.emplace(
        FleetCycle{.history = History::starting_at({1, new_fleet_token()}, unix_now(), {}, reason_),
                   .incomplete = {{.node = "", .reason = reason_}},
                   .share = {""}});
    return answer();
  }
  Status finish_scan() override { return ok(); }
  Status close() override { return ok(); }

 private:
  std::string reason_;
};

}  // namespace

std::unique_ptr<FleetAccess> open_fleet(StoreOpener open, FleetLeaderOptions options) {
  return std::make_unique<LedFleet>(std::move(open), std::move(options));
}

std::unique_ptr<FleetAccess> open_unreachable_fleet(std::string reason) {
  return std::make_unique<UnreachableFleet>(std::move(reason));
}

}  // namespace bloomery::tracker
