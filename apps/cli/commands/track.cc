// The group `track`: a row for each of its commands.
#include <algorithm>
#include <charconv>

#include "apps/cli/shell/options.h"
#include "apps/cli/track/command.h"
#include "apps/tracker/open_tracker.h"
#include "apps/tracker/state/private_files.h"
#include "apps/tracker/state/seal.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr Command kTrackCommands[] = {
    {"watch", "Watch folders and record every change", attach_track_watch},
    {"mark", "Mark paths as changed", attach_track_mark},
    {"cycle", "Begin the next cycle", attach_track_cycle},
    {"query", "Print the paths that may have changed since a cycle", attach_track_query},
    {"scan", "Print the usage of every folder, reading only those that may have changed",
     attach_track_scan},
    {"status", "Show the state of a tracker and the health of its filters", attach_track_status},
    {"nodes", "List the servers of a fleet and its leader", attach_track_nodes},
    {"leave", "Remove a server from its fleet for good", attach_track_leave},
};

constexpr int kHexadecimal = 16;

template <class Number>
bool is_number(std::string_view text, Number& number, int base = 10) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

std::string drive_named(const std::string& drive) {
  return std::filesystem::absolute(drive).lexically_normal().string();
}

// Those that had a copy when the state was saved last, and get one with the next save.
std::vector<std::string> remembered_drives(const TrackOptions& options) {
  const auto seal = tracker::read_seal(options.state);
  if (!seal) return {};
  std::vector<std::string> drives = seal->drives;
  std::erase_if(drives, [&](const std::string& drive) {
    return !options.drives.empty() &&
           std::ranges::find(options.drives, drive, drive_named) == options.drives.end();
  });
  return drives;
}

}  // namespace

void add_state_options(CommandLine& app, TrackOptions& options) {
  app.add_option("--state", options.state, "Folder of the tracker's files")
      ->required()
      ->value_name("DIR")
      ->group("Tracker");
  app.add_list("--drive", options.drives,
               "Another folder for a copy of the state; may be repeated; remembered")
      ->value_name("DIR")
      ->group("Tracker");
  auto* minio =
      app.add_flag("--minio", options.minio,
                   "Use MinIO's .tracker.bin as the state; of several copies, the newest");
  minio->group("Tracker");
  app.add_flag("--minio-exact", options.minio_exact,
               "The same as MinIO does it: of several copies, the last")
      ->excludes(minio)
      ->group("Tracker");
}

Option* add_marks_only_option(CommandLine& app, TrackOptions& options) {
  return app
      .add_flag(
          "--marks-only", options.marks_only,
          "From now on every change is marked with `track mark`: a path that is not marked did not "
          "change. Remembered. Without it and without a watcher, every path may have changed")
      ->group("Tracker");
}

void warn_of_state_folder(const TrackOptions& options, const Session& session) {
  if (session.globals.quiet) return;
  if (const std::string trouble = tracker::trouble_with_folder(options.state); !trouble.empty())
    warn(options.state, trouble);
  MissingDrives{remembered_drives(options)}.warn();
}

void MissingDrives::warn() {
  for (const std::string& folder : folders_) {
    std::error_code unknown;
    const bool is_missing = !std::filesystem::exists(folder, unknown) && !unknown;
    const auto reported = std::ranges::find(missing_, folder);
    if (is_missing && reported == missing_.end()) {
      missing_.push_back(folder);
      cli::warn(folder,
                "this folder of a --drive is missing: its copy of the state was lost, or the drive "
                "is not mounted. The next save creates it again");
    } else if (!is_missing && reported != missing_.end()) {
      missing_.erase(reported);
    }
  }
}

void add_rate_option(CommandLine& app, TrackOptions& options) {
  app.add_probability("--rate", options.rate,
                      "False-positive rate: share of unchanged folders that a cycle reports as "
                      "changed (default: 1%; remembered)")
      ->group("Tracker");
}

tracker::TrackerOptions tracker_options(const TrackOptions& options, const Session& session) {
  tracker::TrackerOptions asked{.folder = options.state, .rate = options.rate};
  asked.marks_only = options.marks_only;
  if (options.minio) asked.mode = tracker::Mode::kMinioNewest;
  if (options.minio_exact) asked.mode = tracker::Mode::kMinioExact;
  // They are remembered: the next command may be started in another folder.
  for (const std::string& drive : options.drives) {
    if (!asked.drives) asked.drives.emplace();
    asked.drives->push_back(drive_named(drive));
  }
  asked.limits.max_bytes = session.globals.memory;
  return asked;
}

std::unique_ptr<tracker::TrackerClient> reach_tracker(const TrackOptions& options, TrackUse use,
                                                      Session& session) {
  tracker::ClientOptions asked{.tracker = tracker_options(options, session),
                               .must_exist = use == TrackUse::kRead};
  asked.tracker.read_only = use == TrackUse::kRead;
  if (use == TrackUse::kChange) warn_of_state_folder(options, session);
  auto client = tracker::open_tracker(asked);
  if (client) return std::move(*client);
  session.exit_code = complain_of_state(options, client.error());
  return nullptr;
}

int complain_of_state(const TrackOptions& options, const Error& error) {
  return complain(options.state, error, Blame::kArguments);
}

std::string text_of_cycle(const tracker::CycleId& id) {
  if (id.token == 0) return message(id.index);
  std::string token(2 * sizeof id.token, '0');
  for (std::size_t i = 0; i < token.size(); ++i)
    token[token.size() - 1 - i] = "0123456789abcdef"[id.token >> (4 * i) & 15];
  return message(id.index, ":", token);
}

Result<tracker::CycleId> cycle_from_text(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string_view all{text};
  tracker::CycleId id;
  const bool valid =
      is_number(all.substr(0, colon), id.index) &&
      (colon == std::string::npos || is_number(all.substr(colon + 1), id.token, kHexadecimal));
  if (valid) return id;
  return Error{ErrorCode::kInvalidArgument,
               message("a cycle is a number, or the output of `track cycle`, not '", text, "'")};
}

void attach_track(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery track watch /data --state S                every change is seen while it runs\n"
      "  bloomery track mark --state S --marks-only photos/2024/img.jpg   without a watcher\n"
      "  bloomery track cycle --state S                      a scan begins\n"
      "  bloomery track query --state S photos music         which of them may have changed\n"
      "  bloomery track scan /data --state S                 like du, but reads what changed\n"
      "  bloomery track status --state S\n");
  for (const Command& command : kTrackCommands) attach_command(subcommand, command, session);
}

}  // namespace bloomery::cli
