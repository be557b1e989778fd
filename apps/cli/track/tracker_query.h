// query --path: records as paths, asked of the cycles of a MinIO change tracker.
#pragma once
#include <optional>

#include "apps/cli/filters/filter_file.h"

namespace bloomery::cli {

struct PathOptions {
  bool path = false;                        // each record is a path
  std::optional<std::uint64_t> cycle = {};  // ask this one only
};

void add_path_options(CommandLine& app, PathOptions& options);

// The tracker to ask; null without --path. Fails with a sentence where the filter is none (null: it
// is mapped, so it is none), or has no such cycle.
Result<const MinioTracker*> queried_tracker(const AnyFilter* filter, const PathOptions& options);

// The newest cycle that may hold the path, among those asked.
std::optional<std::uint64_t> cycle_of_path(const MinioTracker& tracker, const PathOptions& options,
                                           std::string_view path);

}  // namespace bloomery::cli
