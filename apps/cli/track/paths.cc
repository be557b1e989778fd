// track mark and track query: the commands that take paths.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "apps/cli/shell/json.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/track/command.h"
#include "apps/cli/track/path_list.h"
#include "apps/cli/track/scan_report.h"
#include "apps/input/records.h"
#include "apps/tracker/open_tracker.h"
#include "apps/tracker/state/state_files.h"
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

// A path as it was given, and how many names the tracker may have for it.
struct NamedPath {
  std::string text;
  std::size_t keys;
};

// Paths that were given together, without those that name nothing.
struct NamedPaths {
  std::vector<NamedPath> paths = {};
  std::vector<std::string> keys = {};  // of all of them, in order
  Status refused = ok();               // why the first of those names nothing

  void add(std::string_view text, const Result<std::vector<std::string>>& named) {
    if (!named) {
      if (refused) refused = named.error();
      return;
    }
    keys.insert(keys.end(), named->begin(), named->end());
    paths.push_back({std::string{text}, named->size()});
  }
};

// Calls use(paths) for all paths that were given, some at a time; "-" is as many as stdin has. Ends
// with the first error of `use`.
template <class Use>
Status for_each_path(const PathsOptions& options, PathNames& names, Use use) {
  for (const std::string& path : options.paths) {
    if (path != "-") {
      NamedPaths named;
      named.add(path, names.keys(path));
      if (auto used = use(std::move(named)); !used) return used;
      continue;
    }
    auto opened = input::Input::open("-");
    if (!opened) return opened.error();
    input::RecordReader reader{*opened, options.null ? std::byte{0} : std::byte{'\n'}};
    for (bool is_first = true;;) {
      const auto records = reader.next();
      if (!records) return records.error();
      if (records->empty()) break;
      NamedPaths named;
      for (const ByteView record : *records) {
        const std::string_view text = text_of(record);
        named.add(text, options.null ? names.keys(text) : names.keys_of_line(text, is_first));
        is_first = false;
      }
      if (auto used = use(std::move(named)); !used) return used;
    }
  }
  return ok();
}

// Why a command that names no valid path is refused before it begins a new state; ok where a state
// or a watcher exists, or a path is valid. Paths on stdin are not read here.
Status refused_without_state(const PathsOptions& options, const Session& session) {
  const auto tracker = tracker_options(options.track, session);
  std::error_code ignored;
  if (tracker::tracker_exists(tracker) ||
      std::filesystem::exists(tracker.folder / tracker::kWatchSocket, ignored))
    return ok();
  PathNames names{{}, options.track.state, session.globals.quiet};
  Status refused = ok();
  for (const std::string& path : options.paths) {
    if (path == "-") return ok();
    const auto keys = names.keys(path);
    if (keys) return ok();
    if (refused) refused = keys.error();
  }
  return refused;
}

// The first path that names nothing in the scanned trees; empty: none. Of a long list the beginning
// is enough, because each look costs calls of the system.
std::string first_unknown(const NamedPaths& named, PathNames& names, std::uint64_t& looked_at) {
  constexpr std::uint64_t kMost = 1000;
  std::span<const std::string> keys{named.keys};
  for (const NamedPath& path : named.paths) {
    if (looked_at++ >= kMost) break;
    if (!names.may_exist(keys.first(path.keys))) return path.text;
    keys = keys.subspan(path.keys);
  }
  return {};
}

int mark(const PathsOptions& options, Session& session) {
  if (const auto refused = refused_without_state(options, session); !refused)
    return complain("", refused.error(), Blame::kArguments);
  const auto client = reach_tracker(options.track, TrackUse::kChange, session);
  if (!client) return session.exit_code;
  const auto roots = client->roots();
  if (!roots) return complain_of_state(options.track, roots.error());
  PathNames names{*roots, options.track.state, session.globals.quiet};
  std::uint64_t marked = 0;
  Status refused = ok();
  std::string unknown;
  std::uint64_t looked_at = 0;
  // A path that names nothing does not keep the others from being marked: they changed.
  const auto done = for_each_path(options, names, [&](const NamedPaths& named) -> Status {
    if (refused) refused = named.refused;
    if (unknown.empty()) unknown = first_unknown(named, names, looked_at);
    marked += named.paths.size();
    return named.keys.empty() ? ok() : client->mark(named.keys, options.below);
  });
  const auto coverage = client->coverage();
  // What came before an error changed all the same.
  const auto closed = client->close();
  if (!done) return complain("", done.error(), Blame::kArguments);
  if (!closed) return complain_of_state(options.track, closed.error());
  if (!refused) return complain("", refused.error(), Blame::kArguments);
  if (!coverage) return complain_of_state(options.track, coverage.error());
  if (session.globals.json) std::cout << Json{{"marked", marked}}.dump() << '\n';
  // A state that is new, or was damaged, knows once its next cycle begins: this one never will.
  if (coverage->feed == tracker::ChangeFeed::kNone && !coverage->proven() && !session.globals.quiet)
    warn(options.track.state,
         "the marks are stored, but every path still counts as changed until a watcher runs, or "
         "--marks-only promises that every change is marked");
  if (coverage->feed == tracker::ChangeFeed::kMarks && !unknown.empty() && !session.globals.quiet)
    std::cerr
        << "bloomery: note: " << shown_name(unknown)
        << ": neither it nor its folder exists in the scanned tree; paths are relative to the "
           "folder that is scanned\n";
  return kExitSuccess;
}

void print_answer(const PathsOptions& options, const Session& session, const std::string& path,
                  bool changed, const std::string& gap, bool& first) {
  if (session.globals.json) {
    Json row{{"path", path}, {"may_have_changed", changed}};
    if (!gap.empty()) row["reason"] = gap;
    std::cout << (first ? "[" : ",") << row.dump();
    first = false;
  } else if (changed != options.invert) {
    std::cout << path << (options.null ? '\0' : '\n');
  }
}

// Why every path may have changed since that cycle, or since the one before the current; empty
// where the filters say which.
Result<std::string> gap_since(tracker::TrackerClient& client,
                              const std::optional<tracker::CycleId>& since) {
  const auto status = client.status();
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
  const auto client = reach_tracker(options.track, TrackUse::kRead, session);
  if (!client) return session.exit_code;
  const auto roots = client->roots();
  if (!roots) return complain_of_state(options.track, roots.error());
  // Before the questions: they are not answered "no" by what only now came to be known.
  const auto gap = gap_since(*client, since);
  if (!gap) return complain_of_state(options.track, gap.error());
  bool any = false;
  bool first = true;
  PathNames names{*roots, options.track.state, session.globals.quiet};
  const auto done = for_each_path(options, names, [&](const NamedPaths& named) -> Status {
    std::vector<std::uint8_t> answers;
    if (auto asked = client->query(named.keys, since, answers); !asked) return asked;
    auto answer = answers.begin();
    for (const NamedPath& path : named.paths) {
      const auto next = answer + static_cast<std::ptrdiff_t>(path.keys);
      const bool changed = std::any_of(answer, next, [](std::uint8_t may) { return may != 0; });
      answer = next;
      print_answer(options, session, path.text, changed, *gap, first);
      any = any || changed != options.invert;
    }
    return named.refused;
  });
  if (session.globals.json) std::cout << (first ? "[]\n" : "]\n");
  std::cout.flush();
  if (!done) return complain("", done.error(), Blame::kArguments);
  if (!gap->empty() && !session.globals.quiet)
    std::cerr << "bloomery: every path may have changed: " << *gap << '\n';
  return any ? kExitSuccess : kExitNothingSelected;
}

void add_paths(CommandLine& subcommand, PathsOptions& options, const std::string& help) {
  subcommand.add_list("PATH", options.paths, help)->required();
  subcommand.add_flag("-0,--null", options.null,
                      "Paths on stdin and stdout end in NUL, not newline");
  add_state_options(subcommand, options.track);
}

}  // namespace

void attach_track_mark(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery track mark --state S --marks-only bucket/folder/object\n"
      "  git diff --name-only -z HEAD~1 | bloomery track mark --state S -0 -\n"
      "  bloomery track mark --state S --below bucket/restored\n");
  auto options = std::make_shared<PathsOptions>();
  add_paths(subcommand, *options, "Paths that changed; -: read paths from stdin");
  add_marks_only_option(subcommand, options->track);
  add_rate_option(subcommand, options->track);
  subcommand.add_flag("--below", options->below, "Mark everything below the paths too");
  subcommand.action([options, &session] { session.exit_code = mark(*options, session); });
}

void attach_track_query(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery track query --state S photos && backup photos\n"
      "  bloomery track query --state S --since 41 - < folders.txt\n"
      "  cycle=$(bloomery track cycle --state S); bloomery track query --state S --since "
      "$cycle photos\n");
  auto options = std::make_shared<PathsOptions>();
  add_paths(subcommand, *options, "Paths to look up; -: read paths from stdin");
  subcommand
      .add_option("--since", options->since,
                  "Look for changes since this cycle began, as `track cycle` printed it (default: "
                  "the previous cycle)")
      ->value_name("CYCLE");
  subcommand.add_flag("-v,--invert", options->invert, "Print the paths that did not change");
  subcommand.action([options, &session] { session.exit_code = query(*options, session); });
}

}  // namespace bloomery::cli
