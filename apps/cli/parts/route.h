// Records in one file for each part of a filter, chosen by the same hash that builds it.
#pragma once
#include "apps/cli/filters/create_options.h"
#include "apps/cli/records/stream.h"
#include "apps/cli/shell/command.h"

namespace bloomery::cli {

struct RouteRequest {
  std::uint32_t parts;
  NewFilterOptions& filter;
  const RecordOptions& records;
  const std::vector<InputFile>& inputs;
  std::string folder;  // exists
  std::string name;    // of the files: NAME.03-of-64
  bool force = false;
};

// The files appear under their names once all are written. Memory is bounded, and one file is open
// at a time. Returns the exit code, and complains.
int route_records(const RouteRequest& request, Session& session);

}  // namespace bloomery::cli
