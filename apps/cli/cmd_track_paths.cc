// track mark and track query: the commands that take paths.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/help.h"
#include "apps/cli/track_command.h"
#include "apps/input/records.h"
#include "apps/tracker/paths.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

struct PathsOptions {
  TrackOptions track;
  std::vector<std::string> paths;
  std::string since;
  bool null = false;
  bool below = false;
  bool invert = false;
};

// Calls use(paths) for all paths that were given, some at a time; "-" is as many as stdin has.
template <class Use>
Status for_each_path(const PathsOptions& options, Use use) {
  for (const std::string& path : options.paths) {
    if (path != "-") {
      if (auto used = use(std::vector<std::string>{path}); !used) return used;
      continue;
    }
    auto opened = input::Input::open("-");
    if (!opened) return opened.error();
    input::RecordReader reader{*opened, options.null ? std::byte{0} : std::byte{'\n'}};
    for (;;) {
      const auto records = reader.next();
      if (!records) return records.error();
      if (records->empty()) break;
      std::vector<std::string> paths;
      for (const ByteView record : *records) paths.emplace_back(text_of(record));
      if (auto used = use(std::move(paths)); !used) return used;
    }
  }
  return ok();
}

Result<std::vector<std::string>> resolved(const std::vector<std::string>& paths,
                                          const std::vector<std::string>& roots) {
  std::vector<std::string> keys;
  for (const std::string& path : paths) {
    auto key = tracker::resolve_path(path, roots);
    if (!key) return key.error();
    keys.push_back(std::move(*key));
  }
  return keys;
}

int mark(const PathsOptions& options, Session& session) {
  const auto access = reach_tracker(options.track, TrackUse::kChange, session);
  if (!access) return session.exit_code;
  const auto roots = access->roots();
  if (!roots) return complain_of_state(options.track, roots.error());
  std::uint64_t marked = 0;
  const auto done = for_each_path(options, [&](const std::vector<std::string>& paths) -> Status {
    const auto keys = resolved(paths, *roots);
    if (!keys) return keys.error();
    marked += keys->size();
    return access->mark(*keys, options.below);
  });
  const auto coverage = access->coverage();
  // What came before an error changed all the same.
  const auto closed = access->close();
  if (!done) return complain("", done.error(), Blame::kArguments);
  if (!closed) return complain_of_state(options.track, closed.error());
  if (!coverage) return complain_of_state(options.track, coverage.error());
  if (session.globals.json) std::cout << nlohmann::ordered_json{{"marked", marked}}.dump() << '\n';
  // A state that is new, or was damaged, knows once its next cycle begins: this one never will.
  if (coverage->feed == tracker::ChangeFeed::kNone && !coverage->proven() && !session.globals.quiet)
    warn(options.track.state,
         "the marks are kept, but every path counts as changed all the same until a watcher runs, "
         "or "
         "--marks-only says that you mark every change");
  return kExitSuccess;
}

void print_answer(const PathsOptions& options, const Session& session, const std::string& path,
                  bool changed, const std::string& gap, bool& first) {
  if (session.globals.json) {
    nlohmann::ordered_json row{{"path", path}, {"may_have_changed", changed}};
    if (!gap.empty()) row["reason"] = gap;
    std::cout << (first ? "[" : ",")
              << row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    first = false;
  } else if (changed != options.invert) {
    std::cout << path << (options.null ? '\0' : '\n');
  }
}

// Why every path may have changed since that cycle, or since the one before the current; empty
// where the filters say which.
Result<std::string> gap_since(tracker::TrackerAccess& access,
                              const std::optional<tracker::CycleId>& since) {
  const auto status = access.status();
  if (!status) return status.error();
  if (const tracker::Coverage coverage = tracker::coverage_of(*status); !coverage.proven())
    return coverage.gap;
  for (const tracker::CycleStatus& cycle : status->cycles) {
    if (!cycle.everything.empty()) return message("cycle ", cycle.id.index, ": ", cycle.everything);
    const bool usual = !since && &cycle != &status->cycles.front();
    if (usual || (since && cycle.id.index <= since->index)) break;
  }
  return std::string{};
}

int query(const PathsOptions& options, Session& session) {
  std::optional<tracker::CycleId> since;
  if (!options.since.empty()) {
    const auto asked = cycle_from_text(options.since);
    if (!asked) return complain("--since", asked.error(), Blame::kArguments);
    since = *asked;
  }
  const auto access = reach_tracker(options.track, TrackUse::kRead, session);
  if (!access) return session.exit_code;
  const auto roots = access->roots();
  if (!roots) return complain_of_state(options.track, roots.error());
  // Before the questions: they are not answered "no" by what only now came to be known.
  const auto gap = gap_since(*access, since);
  if (!gap) return complain_of_state(options.track, gap.error());
  bool any = false;
  bool first = true;
  const auto done = for_each_path(options, [&](const std::vector<std::string>& paths) -> Status {
    const auto keys = resolved(paths, *roots);
    if (!keys) return keys.error();
    std::vector<std::uint8_t> answers;
    if (auto asked = access->query(*keys, since, answers); !asked) return asked;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      print_answer(options, session, paths[i], answers[i] != 0, *gap, first);
      any = any || (answers[i] != 0) != options.invert;
    }
    return ok();
  });
  if (session.globals.json) std::cout << (first ? "[]\n" : "]\n");
  std::cout.flush();
  if (!done) return complain("", done.error(), Blame::kArguments);
  if (!gap->empty() && !session.globals.quiet)
    std::cerr << "bloomery: every path may have changed: " << *gap << '\n';
  return any ? kExitSuccess : kExitNothingSelected;
}

void add_paths(CLI::App& subcommand, PathsOptions& options, const std::string& help) {
  subcommand.add_option("PATH", options.paths, help)->required()->type_name("");
  subcommand.add_flag("-0,--null", options.null,
                      "Paths on stdin and stdout end in a zero byte, not in a newline");
  add_state_options(subcommand, options.track);
}

}  // namespace

void attach_track_mark(CLI::App& subcommand, Session& session) {
  set_examples(subcommand,
               "Examples:\n"
               "  bloomery track mark --state S --marks-only bucket/folder/object\n"
               "  git diff --name-only -z HEAD~1 | bloomery track mark --state S -0 -\n"
               "  bloomery track mark --state S --below bucket/restored\n");
  auto options = std::make_shared<PathsOptions>();
  add_paths(subcommand, *options, "What changed; - reads paths from stdin");
  add_marks_only_option(subcommand, options->track);
  add_rate_option(subcommand, options->track);
  subcommand.add_flag("--below", options->below, "Anything below the paths may have changed too");
  subcommand.callback([options, &session] { session.exit_code = mark(*options, session); });
}

void attach_track_query(CLI::App& subcommand, Session& session) {
  set_examples(subcommand,
               "Examples:\n"
               "  bloomery track query --state S photos && backup photos\n"
               "  bloomery track query --state S --since 41 - < folders.txt\n"
               "  cycle=$(bloomery track cycle --state S); bloomery track query --state S --since "
               "$cycle photos\n");
  auto options = std::make_shared<PathsOptions>();
  add_paths(subcommand, *options, "What is asked about; - reads paths from stdin");
  subcommand
      .add_option("--since", options->since,
                  "Since this cycle began, as `track cycle` printed it\n"
                  "(default: the cycle before the current one)")
      ->type_name("CYCLE");
  subcommand.add_flag("-v,--invert", options->invert, "Print the paths that did not change");
  subcommand.callback([options, &session] { session.exit_code = query(*options, session); });
}

}  // namespace bloomery::cli
