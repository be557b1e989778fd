#include "apps/tracker/load_book.h"

#include <algorithm>

#include "apps/tracker/paths.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

using Folders = std::vector<std::filesystem::path>;

Folders folders_of(const TrackerOptions& options, const std::vector<std::string>& drives) {
  Folders folders{options.folder};
  for (const std::string& drive : drives)
    if (std::ranges::find(folders, std::filesystem::path{drive}) == folders.end())
      folders.emplace_back(drive);
  return folders;
}

struct Newest {
  std::optional<State> state;
  std::size_t valid = 0;
  std::vector<std::string> problems;
};

Newest newest_in(const Copies& copies, DecodeLimits limits) {
  Newest newest;
  const auto files = copies.read(limits);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto complain = [&](const Error& error) {
      newest.problems.push_back(
          error.message.starts_with(copies.folders[i].string())
              ? error.message
              : message((copies.folders[i] / copies.name).string(), ": ", error.message));
    };
    if (!files[i]) {
      complain(files[i].error());
      continue;
    }
    auto state = decode_state(*files[i], limits);
    if (!state) {
      complain(state.error());
      continue;
    }
    ++newest.valid;
    if (!newest.state || state->sequence > newest.state->sequence) newest.state = std::move(*state);
  }
  return newest;
}

// What happened while nobody looked, said in the current cycle.
void admit_gaps(State& state, const TrackerOptions& options) {
  CycleFilter& filter = state.history.current().filter;
  const auto heartbeat = read_heartbeat(options.folder);
  const std::int64_t seen = std::max(state.saved_unix, heartbeat ? heartbeat->unix_seconds : 0);
  if (state.session_open && options.read_only && is_locked(options.folder)) {
    filter.flag_everything("the program that owns the tracker knows more than its files");
  } else if (state.session_open) {
    filter.flag_everything(
        message("the last session did not end properly; it was alive at ", seen));
  } else if (state.watched) {
    filter.flag_everything(message("nobody watched since ", seen));
  }
}

Status apply_options(State& state, const TrackerOptions& options) {
  CycleGoal goal = state.history.goal();
  goal.rate = options.rate.value_or(goal.rate);
  if (auto valid = checked(goal); !valid) return valid.error();
  state.history.set_goal(goal);
  if (options.drives) state.settings.drives = *options.drives;
  if (options.roots) state.settings.roots = *options.roots;
  state.watched = state.watched || options.watching;
  return ok();
}

Result<LoadedBook> load_adaptive(const TrackerOptions& options, std::int64_t now_unix) {
  Copies copies{folders_of(options, options.drives.value_or(std::vector<std::string>{})),
                std::string{kStateFile}};
  const bool existed = copies.any_exists();
  Newest newest = newest_in(copies, options.limits);
  // The state itself says where more copies are, and one of them may be newer.
  if (newest.state && !options.drives && !newest.state->settings.drives.empty()) {
    copies.folders = folders_of(options, newest.state->settings.drives);
    newest = newest_in(copies, options.limits);
  }
  const bool is_new = !newest.state;
  if (!existed) newest.problems.clear();  // files that never were are not missed
  if (is_new) {
    const CycleGoal goal{.rate = options.rate.value_or(CycleGoal{}.rate)};
    if (auto valid = checked(goal); !valid) return valid.error();
    newest.state.emplace(State{
        .history = History::starting_at(
            next_cycle_id(1), now_unix, goal,
            existed ? "no copy of the tracker's state could be read" : "the tracker is new")});
  } else {
    admit_gaps(*newest.state, options);
  }
  if (auto applied = apply_options(*newest.state, options); !applied) return applied.error();
  return LoadedBook{Book{std::move(*newest.state)},
                    Mode::kAdaptive,
                    std::move(copies),
                    newest.valid,
                    newest.problems,
                    is_new};
}

Result<LoadedBook> load_minio(const TrackerOptions& options, Mode mode) {
  if (options.rate || options.watching)
    return Error{
        ErrorCode::kInvalidArgument,
        "MinIO's tracker has a filter of a fixed size, and cannot say that nobody watched: "
        "a rate and a watcher are for the adaptive mode"};
  Copies copies{folders_of(options, options.drives.value_or(std::vector<std::string>{})),
                std::string{kMinioStateFile}};
  const bool existed = copies.any_exists();
  std::vector<Error> problems;
  MinioExact minio = MinioExact::load(
      copies, mode == Mode::kMinioExact ? MinioLoad::kLastReadable : MinioLoad::kNewest,
      options.limits, &problems);
  const std::size_t valid = copies.folders.size() - problems.size();
  LoadedBook loaded{Book{std::move(minio)}, mode, std::move(copies), valid, {}, valid == 0};
  for (const Error& problem : problems)
    if (existed) loaded.problems.push_back(problem.message);
  return loaded;
}

}  // namespace

Result<LoadedBook> load_book(const TrackerOptions& options, std::int64_t now_unix) {
  std::error_code ignored;
  const bool has_ours = std::filesystem::exists(options.folder / kStateFile, ignored);
  const bool has_minio = std::filesystem::exists(options.folder / kMinioStateFile, ignored);
  const Mode mode =
      options.mode.value_or(has_minio && !has_ours ? Mode::kMinioNewest : Mode::kAdaptive);
  if (mode == Mode::kAdaptive) return load_adaptive(options, now_unix);
  if (has_ours)
    return Error{ErrorCode::kInvalidArgument,
                 message(options.folder.string(), ": holds an adaptive tracker, and not MinIO's")};
  return load_minio(options, mode);
}

}  // namespace bloomery::tracker
