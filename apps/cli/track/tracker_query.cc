#include "apps/cli/track/tracker_query.h"

#include "apps/cli/shell/options.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {

void add_path_options(CommandLine& app, PathOptions& options) {
  auto* path = app.add_flag("--path", options.path,
                            "minio-tracker: each record is a path; print the newest cycle that may "
                            "contain it and a tab before it");
  path->group("Options of one format");
  app.add_count("--cycle", options.cycle, "minio-tracker: query only this cycle")
      ->needs(path)
      ->group("Options of one format");
}

Result<const MinioTracker*> queried_tracker(const AnyFilter* filter, const PathOptions& options) {
  if (!options.path) return static_cast<const MinioTracker*>(nullptr);
  const auto* tracker = filter != nullptr ? std::get_if<MinioTracker>(filter) : nullptr;
  if (tracker == nullptr)
    return Error{ErrorCode::kInvalidArgument, "--path needs a filter of format minio-tracker"};
  if (options.cycle && tracker->find_cycle(*options.cycle) == nullptr)
    return Error{ErrorCode::kInvalidArgument,
                 message("--cycle: the tracker has no cycle ", *options.cycle)};
  return tracker;
}

std::optional<std::uint64_t> cycle_of_path(const MinioTracker& tracker, const PathOptions& options,
                                           std::string_view path) {
  if (!options.cycle) return tracker.newest_cycle_with(path);
  const MinioCycle* cycle = tracker.find_cycle(*options.cycle);
  return cycle->contains_dir(path) ? options.cycle : std::nullopt;
}

}  // namespace bloomery::cli
