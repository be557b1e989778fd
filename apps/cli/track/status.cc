#include <iostream>
#include <memory>

#include "apps/cli/filters/report.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/track/command.h"
#include "apps/cli/track/scan_json.h"
#include "apps/tracker/state/unix_time.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

Json to_json(const tracker::CycleStatus& cycle) {
  Json json{{"cycle", text_of_cycle(cycle.id)},
            {"number", cycle.id.index},
            {"started_unix", cycle.started_unix},
            {"keys", cycle.keys ? Json(*cycle.keys) : Json(nullptr)},
            {"layers", cycle.layers},
            {"bytes", cycle.bytes},
            {"fill", cycle.health.fill},
            {"error_rate", cycle.health.error_rate},
            {"verdict", verdict_name(cycle.health.verdict)}};
  json["everything"] = cycle.everything.empty() ? Json(nullptr) : Json(cycle.everything);
  json["below"] = cycle.below;
  return json;
}

Json to_json(const tracker::WatchStatus& watch) {
  auto unseen = Json::array();
  for (const auto& subtree : watch.unseen)
    unseen.push_back({{"path", subtree.path}, {"reason", subtree.reason}});
  return {{"backend", watch.backend},
          {"process", watch.process},
          {"started_unix", watch.started_unix},
          {"watches", watch.watches},
          {"events", watch.events},
          {"changes", watch.changes},
          {"overflows", watch.overflows},
          {"backlog_bytes", watch.backlog_bytes},
          {"barriers", watch.barriers},
          {"late_barriers", watch.late_barriers},
          {"requests", watch.requests},
          {"unseen_count", watch.unseen_count},
          {"unseen", std::move(unseen)}};
}

Json to_json(const tracker::TrackerStatus& status) {
  Json json{{"mode", status.mode},
            {"rate", status.rate},
            {"knows_from", status.knows_from},
            {"marks", status.marks},
            {"lost_marks", status.lost_marks},
            {"saved_unix", status.saved_unix},
            {"session_open", status.session_open},
            {"watched", status.watched},
            {"marks_only", status.marks_only},
            {"heartbeat_unix", status.heartbeat_unix},
            {"roots", status.roots},
            {"drives", status.drives},
            {"copies", status.copies},
            {"problems", status.problems}};
  auto cycles = Json::array();
  for (const auto& cycle : status.cycles) cycles.push_back(to_json(cycle));
  json["cycles"] = std::move(cycles);
  json["coverage"] = coverage_json(tracker::coverage_of(status));
  json["watch"] = status.watch ? to_json(*status.watch) : Json(nullptr);
  return json;
}

std::string time_text(std::int64_t unix_seconds) {
  if (unix_seconds <= 0) return "never";
  return tracker::utc_text(unix_seconds);
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

std::string verdict_of(const tracker::CycleStatus& cycle) {
  if (!cycle.everything.empty()) return "everything";
  return std::string{verdict_name(cycle.health.verdict)};
}

void print_cycles(const tracker::TrackerStatus& status) {
  std::vector<std::vector<std::string>> rows{
      {"cycle", "health", "keys", "layers", "memory", "false positives"}};
  for (const tracker::CycleStatus& cycle : status.cycles) {
    const bool everything = !cycle.everything.empty();
    const double keys = cycle.keys ? static_cast<double>(*cycle.keys) : cycle.health.estimated_keys;
    rows.push_back({std::to_string(cycle.id.index), verdict_of(cycle),
                    everything ? "-" : format_count(keys), std::to_string(cycle.layers),
                    format_bytes(cycle.bytes),
                    everything ? "-" : format_probability(cycle.health.error_rate)});
  }
  print_table(rows, 2);
}

void add_reasons(const tracker::TrackerStatus& status, Report& report) {
  for (const tracker::CycleStatus& cycle : status.cycles) {
    const std::string name = message("cycle ", cycle.id.index);
    if (!cycle.everything.empty())
      report.row(name, "everything may have changed: " + cycle.everything);
    if (!cycle.below.empty())
      report.row(name, "everything may have changed below " + joined(cycle.below));
  }
}

void add_watch(const tracker::WatchStatus& watch, Report& report) {
  report.row("watcher", message("process ", watch.process, ", ", watch.backend, ", ", watch.watches,
                                " watches, ", watch.events, " events, ", watch.changes,
                                " changes, ", watch.overflows, " overflows"));
  for (const auto& subtree : watch.unseen)
    report.row("not seen", subtree.path + ": " + subtree.reason);
  if (watch.unseen_count > watch.unseen.size())
    report.row("not seen", message("and ", watch.unseen_count - watch.unseen.size(), " more"));
}

void print_for_people(const TrackOptions& options, const tracker::TrackerStatus& status) {
  Report report;
  report.row("state", options.state);
  report.row("mode", status.mode);
  report.row("goal", format_probability(status.rate) + " false positives in a cycle");
  report.row("current cycle", std::to_string(status.cycles.front().id.index));
  report.row("knows everything", message("from cycle ", status.knows_from, " on"));
  report.row("saved", time_text(status.saved_unix));
  const tracker::Coverage coverage = tracker::coverage_of(status);
  report.row("changes from", coverage.feed == tracker::ChangeFeed::kMarks ? "marks only"
                             : coverage.feed == tracker::ChangeFeed::kNone
                                 ? "no source"
                                 : std::string{name_of(coverage.feed)});
  if (!coverage.proven()) report.row("not proven", "every path may have changed: " + coverage.gap);
  if (status.watched) {
    report.row("watched", joined(status.roots));
    report.row("watcher alive", time_text(status.heartbeat_unix));
  }
  if (status.watch) add_watch(*status.watch, report);
  report.row("copies", message(status.copies, " of ", status.drives.size()));
  for (const std::string& problem : status.problems) report.row("problem", problem);
  add_reasons(status, report);
  report.print();
  std::cout << '\n';
  print_cycles(status);
}

int print_status(const TrackOptions& options, Session& session) {
  const auto client = reach_tracker(options, TrackUse::kRead, session);
  if (!client) return session.exit_code;
  const auto status = client->status();
  if (!status) return complain_of_state(options, status.error());
  if (session.globals.json) {
    std::cout << to_json(*status).dump() << '\n';
  } else {
    print_for_people(options, *status);
  }
  return kExitSuccess;
}

}  // namespace

void attach_track_status(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery track status --state S\n"
      "  bloomery track status --state S --json | jq .knows_from\n");
  auto options = std::make_shared<TrackOptions>();
  add_state_options(subcommand, *options);
  subcommand.action([options, &session] { session.exit_code = print_status(*options, session); });
}

}  // namespace bloomery::cli
