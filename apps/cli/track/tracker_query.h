// query --path: records as paths, looked up in the cycles of a MinIO change tracker.
#pragma once
#include <optional>

#include "apps/cli/filters/filter_file.h"

namespace bloomery::cli {

struct PathOptions {
  bool path = false;                        // each record is a path
  std::optional<std::uint64_t> cycle = {};  // query this one only
};

void add_path_options(CommandLine& app, PathOptions& options);

// The tracker to query; null without --path. Fails where the filter is none (null: it
// is mapped, so it is none), or has no such cycle.
Result<const MinioTracker*> queried_tracker(const AnyFilter* filter, const PathOptions& options);

// The newest of the queried cycles that may contain the path.
std::optional<std::uint64_t> cycle_of_path(const MinioTracker& tracker, const PathOptions& options,
                                           std::string_view path);

}  // namespace bloomery::cli
