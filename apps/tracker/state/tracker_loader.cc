#include "apps/tracker/state/tracker_loader.h"

#include <algorithm>

#include "apps/tracker/state/coverage.h"
#include "apps/tracker/state/paths.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::tracker {
namespace {

using Folders = std::vector<std::filesystem::path>;

void add_folders(Folders& folders, const std::vector<std::string>& more) {
  for (const std::string& folder : more)
    if (std::ranges::find(folders, std::filesystem::path{folder}) == folders.end())
      folders.emplace_back(folder);
}

Folders folders_of(const TrackerOptions& options, const std::vector<std::string>& drives) {
  Folders folders{options.folder};
  add_folders(folders, drives);
  return folders;
}

// Where copies may be: where this caller says, and where the seal and the state remember them. One
// of them may be intact, or newer, where another is not.
Folders folders_to_read(const TrackerOptions& options, const Result<Seal>& seal) {
  Folders folders = folders_of(options, options.drives.value_or(std::vector<std::string>{}));
  if (seal) add_folders(folders, seal->drives);
  return folders;
}

struct Newest {
  std::optional<State> state;
  std::vector<std::pair<std::filesystem::path, std::uint64_t>> found;  // folder and content
  std::size_t valid = 0;
  std::vector<std::string> problems;
  std::optional<Error> too_large;  // for the caller's limit: not lost, and not to be replaced
};

Error with_advice(const Error& too_large) {
  return {ErrorCode::kTooLarge, too_large.message + "; give more with -m"};
}

// What a newer program wrote is not for this one to overwrite.
void keep_newer(const std::filesystem::path& file) {
  std::error_code ignored;
  std::filesystem::rename(file, std::filesystem::path{file} += ".newer", ignored);
}

Newest newest_in(const Copies& copies, const TrackerOptions& options) {
  Newest newest;
  const auto files = copies.read(options.limits);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto complain = [&](const Error& error) {
      if (error.code == ErrorCode::kTooLarge && !newest.too_large)
        newest.too_large = with_advice(error);
      newest.problems.push_back(
          error.message.starts_with(copies.folders[i].string())
              ? error.message
              : message((copies.folders[i] / copies.name).string(), ": ", error.message));
    };
    if (!files[i]) {
      complain(files[i].error());
      continue;
    }
    auto state = decode_state(*files[i], options.limits);
    if (!state) {
      complain(state.error());
      const bool is_newer = state.error().code == ErrorCode::kUnsupported;
      if (is_newer && !options.read_only && !newest.too_large)
        keep_newer(copies.folders[i] / copies.name);
      continue;
    }
    ++newest.valid;
    if (newest.state && state->sequence < newest.state->sequence) continue;
    if (!newest.state || state->sequence > newest.state->sequence) {
      newest.state = std::move(*state);
      newest.found.clear();
    }
    newest.found.emplace_back(copies.folders[i], xxh3_64(*files[i]));
  }
  return newest;
}

// Why none of the newest copies is known to be what was saved last; empty: one is.
std::string broken_seal(const Result<Seal>& seal, const Newest& newest) {
  std::string broken;
  for (const auto& [folder, content] : newest.found) {
    broken = tracker::broken_seal(seal, folder, kStateFile, content);
    if (broken.empty()) return broken;
  }
  return broken;
}

std::int64_t last_seen(const TrackerOptions& options, std::int64_t saved_unix) {
  const auto heartbeat = read_heartbeat(options.folder);
  return std::max(saved_unix, heartbeat ? heartbeat->unix_seconds : 0);
}

CoverageFacts facts_of(const State& state, const TrackerOptions& options) {
  return {.session_open = state.session_open,
          .owner_lives = options.read_only && is_locked(options.folder),
          .watched = state.watched,
          .watching = options.watching,
          .marks_only = state.marks_only,
          .marks_only_said = options.marks_only,
          .seen_unix = last_seen(options, state.saved_unix)};
}

Status apply_options(State& state, const TrackerOptions& options) {
  CycleGoal goal = state.history.goal();
  goal.rate = options.rate.value_or(goal.rate);
  if (auto valid = checked(goal); !valid) return valid.error();
  state.history.set_goal(goal);
  if (options.drives) state.settings.drives = *options.drives;
  if (options.roots) state.settings.roots = *options.roots;
  // What was said last counts.
  if (options.watching || options.marks_only) {
    state.watched = options.watching;
    state.marks_only = !options.watching;
  }
  return ok();
}

Result<State> new_state(const TrackerOptions& options, const Result<Seal>& seal,
                        std::int64_t now_unix, std::string_view reason) {
  const CycleGoal goal{.rate = options.rate.value_or(CycleGoal{}.rate)};
  if (auto valid = checked(goal); !valid) return valid.error();
  State state{.history = History::starting_at(next_cycle_id(1), now_unix, goal, reason)};
  if (seal) state.settings.drives = seal->drives;
  return state;
}

std::uint64_t epoch_of(const Result<Seal>& seal, const std::string& gap) {
  return seal && seal->epoch != 0 && gap.empty() ? seal->epoch : next_cycle_id(1).token;
}

Result<LoadedTracker> load_adaptive(const TrackerOptions& options, std::int64_t now_unix) {
  const auto seal = read_seal(options.folder);
  Copies copies{folders_to_read(options, seal), std::string{kStateFile}};
  const bool existed = copies.any_exists();
  Newest newest = newest_in(copies, options);
  // The state itself says where more copies are, and one of them may be newer.
  const std::size_t asked = copies.folders.size();
  if (newest.state && !options.drives) add_folders(copies.folders, newest.state->settings.drives);
  if (copies.folders.size() > asked) newest = newest_in(copies, options);
  if (newest.too_large) return *newest.too_large;
  if (!existed) newest.problems.clear();  // files that never were are not missed
  CoverageFacts facts{.is_new = !newest.state};
  if (!newest.problems.empty()) facts.unreadable = newest.problems.front();
  if (newest.state) {
    facts = facts_of(*newest.state, options);
    facts.broken_seal = broken_seal(seal, newest);
  }
  const std::string gap = gap_at_opening(facts);
  if (facts.is_new) {
    auto fresh = new_state(options, seal, now_unix, gap);
    if (!fresh) return fresh.error();
    newest.state.emplace(std::move(*fresh));
  } else if (!gap.empty()) {
    newest.state->history.current().filter.flag_everything(gap);
  }
  if (auto applied = apply_options(*newest.state, options); !applied) return applied.error();
  copies.folders = folders_of(options, newest.state->settings.drives);
  return LoadedTracker{TrackerModel{std::move(*newest.state)},
                       Mode::kAdaptive,
                       std::move(copies),
                       newest.valid,
                       newest.problems,
                       facts.is_new,
                       options.watching || (options.marks_only && !facts.marks_only),
                       gap,
                       epoch_of(seal, gap)};
}

// MinIO's file says nothing of who marked what in it: the seal does. With MinIO's own rules it is
// used without a proof, as MinIO did.
void prove_minio(LoadedTracker& loaded, const TrackerOptions& options) {
  const auto seal = read_seal(options.folder);
  CoverageFacts facts{.is_new = loaded.is_new,
                      .marks_only = seal && seal->marks_only,
                      .marks_only_said = options.marks_only};
  if (!loaded.problems.empty()) facts.unreadable = loaded.problems.front();
  // Its copies have no sequence, only a time that a clock gave: all of them must be the last.
  for (const auto& folder : loaded.copies.folders) {
    const auto bytes = read_file(folder / kMinioStateFile, options.limits);
    if (!bytes || !facts.broken_seal.empty()) continue;
    facts.broken_seal = tracker::broken_seal(seal, folder, kMinioStateFile, xxh3_64(*bytes));
  }
  if (loaded.is_new && seal && facts.unreadable.empty()) facts.unreadable = "its file is gone";
  loaded.marks_only = facts.marks_only || options.marks_only;
  loaded.is_changed = options.marks_only && !facts.marks_only;
  loaded.epoch = epoch_of(seal, loaded.is_new ? "new" : gap_at_opening(facts));
  // Of a new one, MinIO's question is about the cycles since it began.
  const bool begins = loaded.is_new && facts.unreadable.empty() && options.marks_only;
  if (!begins) loaded.gap = gap_at_opening(facts);
  if (!loaded.gap.empty()) loaded.model.flag_everything(loaded.gap);
}

Result<LoadedTracker> load_minio(const TrackerOptions& options, Mode mode) {
  if (options.rate || options.watching)
    return Error{
        ErrorCode::kInvalidArgument,
        "a rate and a watcher need the adaptive mode: MinIO's tracker has filters of a fixed size "
        "and does not record missed changes"};
  const Folders given = folders_of(options, options.drives.value_or(std::vector<std::string>{}));
  const bool exact = mode == Mode::kMinioExact;
  Copies copies{exact ? given : folders_to_read(options, read_seal(options.folder)),
                std::string{kMinioStateFile}};
  const bool existed = copies.any_exists();
  std::vector<Error> problems;
  MinioExact minio = MinioExact::load(copies, exact ? MinioLoad::kLastReadable : MinioLoad::kNewest,
                                      options.limits, &problems);
  const std::size_t valid = copies.folders.size() - problems.size();
  LoadedTracker loaded{
      TrackerModel{std::move(minio)}, mode, std::move(copies), valid, {}, valid == 0};
  for (const Error& problem : problems)
    if (problem.code == ErrorCode::kTooLarge) return with_advice(problem);
  for (const Error& problem : problems)
    if (existed) loaded.problems.push_back(problem.message);
  if (!exact) prove_minio(loaded, options);
  if (options.drives) loaded.copies.folders = given;
  return loaded;
}

}  // namespace

Result<LoadedTracker> load_tracker(const TrackerOptions& options, std::int64_t now_unix) {
  std::error_code ignored;
  const bool has_ours = std::filesystem::exists(options.folder / kStateFile, ignored);
  const bool has_minio = std::filesystem::exists(options.folder / kMinioStateFile, ignored);
  const Mode mode =
      options.mode.value_or(has_minio && !has_ours ? Mode::kMinioNewest : Mode::kAdaptive);
  if (mode == Mode::kAdaptive) return load_adaptive(options, now_unix);
  if (has_ours)
    return Error{ErrorCode::kInvalidArgument,
                 message(options.folder.string(), ": holds an adaptive tracker, not MinIO's")};
  return load_minio(options, mode);
}

}  // namespace bloomery::tracker
