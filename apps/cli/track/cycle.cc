#include <iostream>
#include <memory>

#include "apps/cli/shell/json.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/track/fleet.h"

namespace bloomery::cli {
namespace {

struct TrackCycleOptions {
  TrackOptions track;
  FleetOptions fleet;
  std::optional<std::uint64_t> number;
  std::optional<std::uint64_t> oldest;
  bool peek = false;
};

Json to_json(const std::vector<tracker::IncompleteShare>& shares) {
  auto all = Json::array();
  for (const tracker::IncompleteShare& share : shares) {
    auto roots = Json::array();
    for (const std::string& root : share.share) roots.push_back("/" + root);
    all.push_back({{"node", share.node}, {"roots", std::move(roots)}, {"reason", share.reason}});
  }
  return all;
}

// `incomplete`: of a fleet; null where there is none.
void print(const tracker::CycleAnswer& answer, const tracker::Coverage& coverage,
           const Session& session,
           const std::vector<tracker::IncompleteShare>* incomplete = nullptr) {
  if (session.globals.json) {
    Json json{{"cycle", text_of_cycle(answer.current)},
              {"number", answer.current.index},
              {"oldest", answer.oldest},
              {"newest", answer.newest},
              {"complete", answer.complete},
              {"knows_from", answer.knows_from}};
    if (!coverage.proven()) json["reason"] = coverage.gap;
    if (incomplete != nullptr) json["incomplete"] = to_json(*incomplete);
    std::cout << json.dump() << '\n';
    return;
  }
  std::cout << text_of_cycle(answer.current) << '\n';
  if (session.globals.quiet) return;
  std::cerr << "bloomery: cycle " << answer.current.index
            << ": changes are known completely from cycle " << answer.knows_from << " on\n";
  if (!coverage.proven())
    std::cerr << "bloomery: every path may have changed: " << coverage.gap << '\n';
}

Result<tracker::CycleAnswer> asked_of(tracker::TrackerClient& client,
                                      const TrackCycleOptions& options) {
  if (options.peek) return client.cycle({.oldest = options.oldest.value_or(0)});
  if (!options.number) return client.next_cycle();
  const std::uint64_t number = *options.number;
  const std::uint64_t usual = number < tracker::kCyclesKept ? 0 : number - tracker::kCyclesKept;
  return client.cycle({.oldest = options.oldest.value_or(usual), .current = number});
}

int cycle(const TrackCycleOptions& options, Session& session) {
  const auto use = options.peek ? TrackUse::kRead : TrackUse::kChange;
  const auto client = reach_tracker(options.track, use, session);
  if (!client) return session.exit_code;
  const auto answer = asked_of(*client, options);
  if (!answer) return complain_of_state(options.track, answer.error());
  const auto coverage = client->coverage();
  if (!coverage) return complain_of_state(options.track, coverage.error());
  if (auto closed = client->close(); !closed)
    return complain_of_state(options.track, closed.error());
  print(*answer, *coverage, session);
  return kExitSuccess;
}

int fleet_cycle(const TrackCycleOptions& options, Session& session) {
  const auto fleet =
      reach_fleet(options.fleet, options.track, session, tracker::FleetFallback::kNone);
  if (!fleet) return complain_of_fleet(options.fleet, fleet.error());
  const auto answer = (*fleet)->next_cycle();
  if (!answer) return complain_of_fleet(options.fleet, answer.error());
  if (!session.globals.quiet) warn_of_incomplete(options.fleet, **fleet);
  if (auto closed = (*fleet)->close(); !closed)
    return complain_of_fleet(options.fleet, closed.error());
  const auto coverage = (*fleet)->coverage();
  if (!coverage) return complain_of_fleet(options.fleet, coverage.error());
  print(*answer, *coverage, session, &(*fleet)->incomplete());
  return kExitSuccess;
}

}  // namespace

void attach_track_cycle(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery track cycle --state S               the next cycle; prints which it is\n"
      "  bloomery track cycle --state S --number 42   a given cycle\n"
      "  bloomery track cycle --state S --peek        only print the state\n"
      "  bloomery track cycle --state S --redis redis://localhost/archive   of all servers\n");
  auto options = std::make_shared<TrackCycleOptions>();
  add_state_options(subcommand, options->track);
  add_rate_option(subcommand, options->track);
  auto* number = subcommand.add_count("--number", options->number,
                                      "Number of the cycle to begin (default: the next)");
  number->value_name("N");
  auto* oldest = subcommand.add_count("--oldest", options->oldest,
                                      "Forget the cycles before this one (default: 16 are kept)");
  oldest->value_name("N");
  auto* peek = subcommand.add_flag("--peek", options->peek, "Begin no cycle; only print the state");
  peek->excludes(number);
  auto* marks_only = add_marks_only_option(subcommand, options->track)->excludes(peek);
  add_redis_option(subcommand, options->fleet)
      ->excludes(number)
      ->excludes(oldest)
      ->excludes(peek)
      ->excludes(marks_only);
  add_patience_option(subcommand, options->fleet);
  subcommand.check([options]() -> Status {
    if (!options->oldest || options->number || options->peek) return ok();
    return Error{ErrorCode::kInvalidArgument, "--oldest needs --number or --peek"};
  });
  subcommand.action([options, &session] {
    session.exit_code =
        options->fleet.given() ? fleet_cycle(*options, session) : cycle(*options, session);
  });
}

}  // namespace bloomery::cli
