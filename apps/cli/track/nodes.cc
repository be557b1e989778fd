// track nodes and track leave: what a fleet consists of, and who no longer belongs to it.
#include <iostream>
#include <memory>

#include "apps/cli/filters/report.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/redis_client.h"
#include "apps/cli/track/fleet.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

using tracker::FleetView;
using tracker::Member;

constexpr std::chrono::milliseconds kAlive{10'000};

// Whether its part of the current cycle is missing.
bool is_incomplete(const Member& member, const FleetView& view) {
  return member.state != tracker::MemberState::kActive || !member.silent ||
         *member.silent >= kAlive ||
         (view.current.index > 0 && !view.gathering && member.answered != view.current.index);
}

std::string state_of(const Member& member) {
  const bool silent = !member.silent || *member.silent >= kAlive;
  if (member.state == tracker::MemberState::kActive && silent) return "silent";
  return std::string{name_of(member.state)};
}

std::vector<std::string> paths_of(const Member& member) {
  std::vector<std::string> paths;
  for (const std::string& root : member.share) paths.push_back("/" + root);
  return paths;
}

Json to_json(const Member& member, const FleetView& view) {
  return {{"node", member.name},
          {"state", state_of(member)},
          {"roots", paths_of(member)},
          {"answered", member.answered},
          {"silent_ms", member.silent ? Json(member.silent->count()) : Json()},
          {"incomplete", is_incomplete(member, view)}};
}

Json to_json(const FleetView& view) {
  const bool begun = view.current.index > 0;
  Json json{{"cycle", begun ? Json(text_of_cycle(view.current)) : Json()},
            {"gathering", view.gathering},
            {"complete", view.committed == view.current.index},
            {"scanned", view.scanned},
            {"leader", view.lock_left ? Json(view.leader) : Json()},
            {"fence", view.fence}};
  auto nodes = Json::array();
  for (const Member& member : view.members) nodes.push_back(to_json(member, view));
  json["nodes"] = std::move(nodes);
  json["left"] = view.left;
  return json;
}

void print_for_people(const FleetOptions& options, const FleetView& view) {
  Report report;
  report.row("fleet", without_password(options.redis));
  report.row("current cycle", view.current.index == 0 ? "none yet" : text_of_cycle(view.current));
  report.row("last scan", view.scanned == 0 ? "none yet" : message("of cycle ", view.scanned));
  report.row("leader", view.lock_left ? message(view.leader, " (election ", view.fence, ")")
                                      : message("none (elections so far: ", view.fence, ")"));
  report.print();
  if (view.members.empty()) {
    std::cout << "\nno node has joined: changes are not watched\n";
    return;
  }
  std::vector<std::vector<std::string>> rows{{"node", "state", "share", "answered", "silent"}};
  for (const Member& member : view.members) {
    std::string share;
    for (const std::string& root : paths_of(member))
      share += (share.empty() ? "" : ", ") + printable(root);
    rows.push_back({member.name, state_of(member) + (is_incomplete(member, view) ? " (!)" : ""),
                    share.empty() ? "everything" : share, std::to_string(member.answered),
                    member.silent
                        ? significant(static_cast<double>(member.silent->count()) / 1000, 3) + " s"
                        : "-"});
  }
  std::cout << '\n';
  print_table(rows, 3);
}

int print_nodes(const FleetOptions& options, const Session& session) {
  const auto open = fleet_opener(options);
  if (!open) return complain_of_fleet(options, open.error());
  const auto store = (*open)();
  if (!store) return complain_of_fleet(options, store.error());
  const auto view = (*store)->view();
  if (!view) return complain_of_fleet(options, view.error());
  if (session.globals.json) {
    std::cout << to_json(*view).dump() << '\n';
  } else {
    print_for_people(options, *view);
  }
  return kExitSuccess;
}

int leave(const FleetOptions& options, const std::string& node) {
  if (auto fit = tracker::check_name("a node", node); !fit)
    return complain("--node", fit.error(), Blame::kArguments);
  const auto open = fleet_opener(options);
  if (!open) return complain_of_fleet(options, open.error());
  const auto store = (*open)();
  if (!store) return complain_of_fleet(options, store.error());
  if (auto removed = (*store)->forget(node); !removed)
    return complain_of_fleet(options, removed.error());
  return kExitSuccess;
}

}  // namespace

void attach_track_nodes(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery track nodes --redis redis://localhost/archive\n"
      "  bloomery track nodes --redis redis://localhost/archive --json | jq '.nodes[] | "
      "select(.incomplete)'\n");
  auto options = std::make_shared<FleetOptions>();
  add_redis_option(subcommand, *options)->required();
  subcommand.action([options, &session] { session.exit_code = print_nodes(*options, session); });
}

void attach_track_leave(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery track leave --node web3 --redis redis://localhost/archive\n");
  struct LeaveOptions {
    FleetOptions fleet;
    std::string node;
  };
  auto options = std::make_shared<LeaveOptions>();
  add_redis_option(subcommand, options->fleet)->required();
  subcommand
      .add_option("--node", options->node,
                  "The node that is gone for good: what it watched counts as changed once more, "
                  "and is then ignored")
      ->required()
      ->value_name("NAME")
      ->group("Many servers");
  subcommand.action(
      [options, &session] { session.exit_code = leave(options->fleet, options->node); });
}

}  // namespace bloomery::cli
