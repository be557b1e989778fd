// One part of a filter, built from all records or from those that split routed to it.
#pragma once
#include "apps/cli/filters/create_options.h"
#include "apps/cli/filters/output_file.h"
#include "apps/cli/records/stream.h"
#include "bloomery/layout/part.h"

namespace bloomery::cli {

struct PartRequest {
  bloomery::Part part;
  NewFilterOptions& filter;
  const RecordOptions& records;
  const std::vector<InputFile>& inputs;
  const OutputOptions& output;
  bool strict = false;
};

// Returns the exit code, and complains.
int build_part(const PartRequest& request, Session& session);

}  // namespace bloomery::cli
