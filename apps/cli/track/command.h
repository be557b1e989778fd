// Options that the commands of the group `track` share: where the state is and how it is reached.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/shell/command.h"
#include "apps/tracker/state/tracker_client.h"

namespace bloomery::cli {

struct TrackOptions {
  std::string state;
  std::vector<std::string> drives;
  std::optional<double> rate;
  bool minio = false;
  bool minio_exact = false;
  bool marks_only = false;
};

// --state, --drive and whose file it is.
void add_state_options(CommandLine& app, TrackOptions& options);
// --marks-only, for the commands that may begin a state.
Option* add_marks_only_option(CommandLine& app, TrackOptions& options);
// --rate, likewise.
void add_rate_option(CommandLine& app, TrackOptions& options);
tracker::TrackerOptions tracker_options(const TrackOptions& options, const Session& session);

// The watcher that owns the state, or its files. Null after a complaint, with the exit code in the
// session.
enum class TrackUse : std::uint8_t { kRead, kChange };
std::unique_ptr<tracker::TrackerClient> reach_tracker(const TrackOptions& options, TrackUse use,
                                                      Session& session);
// On stderr, unless --quiet: other users can change the tracker's files; a drive that the state
// remembers has no folder any more, and is about to get a new one.
void warn_of_state_folder(const TrackOptions& options, const Session& session);
// Of the folders of drives, each that is missing is warned of once, and again when it was there in
// between.
class MissingDrives {
 public:
  explicit MissingDrives(std::vector<std::string> folders) : folders_{std::move(folders)} {}
  void warn();

 private:
  std::vector<std::string> folders_;
  std::vector<std::string> missing_ = {};
};
// Complains about the state; for `return`.
int complain_of_state(const TrackOptions& options, const Error& error);

// "7" or "7:9f3c0a1b2c3d4e5f", as `track cycle` prints it and --since takes it.
std::string text_of_cycle(const tracker::CycleId& id);
Result<tracker::CycleId> cycle_from_text(const std::string& text);

void attach_track_cycle(CommandLine& subcommand, Session& session);
void attach_track_leave(CommandLine& subcommand, Session& session);
void attach_track_mark(CommandLine& subcommand, Session& session);
void attach_track_nodes(CommandLine& subcommand, Session& session);
void attach_track_query(CommandLine& subcommand, Session& session);
void attach_track_scan(CommandLine& subcommand, Session& session);
void attach_track_status(CommandLine& subcommand, Session& session);
void attach_track_watch(CommandLine& subcommand, Session& session);

}  // namespace bloomery::cli
