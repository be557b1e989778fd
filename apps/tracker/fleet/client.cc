#include "apps/tracker/fleet/client.h"

#include <algorithm>

#include "apps/tracker/state/unix_time.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

Error unsupported_for_fleets(std::string_view what) {
  return {ErrorCode::kUnsupported,
          message(what,
                  " is not supported for a fleet: its nodes see the changes, each with its own "
                  "state folder")};
}

// What any fleet does; the two below differ in where the cycles come from.
class CyclesOnly : public FleetClient {
 public:
  Status mark(std::span<const std::string>, bool) override {
    return unsupported_for_fleets("marking paths");
  }
  Result<CycleAnswer> cycle(const CycleRequest& request) override {
    if (request.current != 0 || !request.oldest_clean.empty())
      return unsupported_for_fleets("choosing a cycle by its number");
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
  Result<TrackerStatus> status() override { return unsupported_for_fleets("a status"); }
  Result<Coverage> coverage() override {
    if (!cycle_) return nothing_begun();
    const History& history = cycle_->history;
    Coverage coverage{.feed = ChangeFeed::kFleet};
    const std::uint64_t from = history.knows_from();
    if (from > history.current().id.index) {
      coverage.gap = history.current().filter.reason();
      return coverage;
    }
    coverage.from = history.current().id;
    for (const auto& past : history.past())
      if (past->id.index >= from) coverage.from = past->id;
    return coverage;
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
  LedFleet(StoreOpener open, FleetLeaderOptions options, FleetFallback fallback)
      : open_{std::move(open)}, options_{std::move(options)}, fallback_{fallback} {}

  Result<std::vector<std::string>> roots() override {
    auto share = led_share();
    if (!share && gives_up(share.error())) share = remembered_share(options_).value_or(Share{""});
    if (!share) return share.error();
    std::vector<std::string> absolute;
    for (const std::string& root : *share) absolute.push_back("/" + root);
    return absolute;
  }

  Result<CycleAnswer> next_cycle() override {
    auto begun = led_cycle();
    if (!begun && gives_up(begun.error())) begun = unknown_cycle();
    if (!begun) return begun.error();
    cycle_.emplace(std::move(*begun));
    return answer();
  }

  Status finish_scan() override {
    if (unreachable_) return ok();
    if (!leader_) return nothing_begun();
    return leader_->finish_scan();
  }
  Status close() override {
    leader_.reset();
    return ok();
  }

 private:
  Status elect() {
    if (leader_) return ok();
    auto leader = FleetLeader::elect(open_, options_);
    if (!leader) return leader.error();
    leader_ = std::move(*leader);
    return ok();
  }
  Result<Share> led_share() {
    if (unreachable_) return *unreachable_;
    if (auto elected = elect(); !elected) return elected.error();
    return leader_->share();
  }
  Result<FleetCycle> led_cycle() {
    if (unreachable_) return *unreachable_;
    if (auto elected = elect(); !elected) return elected.error();
    return leader_->begin_cycle();
  }

  // Another leader, or a fleet that is not ours to read, is no reason: only silence is.
  bool gives_up(const Error& error) {
    if (fallback_ == FleetFallback::kNone) return false;
    if (unreachable_) return true;
    auto store = open_();
    if (store && (*store)->view()) return false;
    unreachable_ = error;
    leader_.reset();
    return true;
  }

  // A cycle that no fleet knows: since it, everything may have changed.
  FleetCycle unknown_cycle() const {
    std::string reason = "the fleet cannot be reached: " + unreachable_->message;
    return {.history = History::starting_at({1, new_fleet_token()}, unix_now(), {}, reason),
            .incomplete = {{.node = "", .reason = std::move(reason)}}};
  }

  StoreOpener open_;
  FleetLeaderOptions options_;
  FleetFallback fallback_;
  std::unique_ptr<FleetLeader> leader_;
  std::optional<Error> unreachable_;
};

}  // namespace

std::unique_ptr<FleetClient> open_fleet(StoreOpener open, FleetLeaderOptions options,
                                        FleetFallback fallback) {
  return std::make_unique<LedFleet>(std::move(open), std::move(options), fallback);
}

}  // namespace bloomery::tracker
