// Records into a filter in servers, which add them: keys that others add at the same time are kept.
#pragma once
#include "apps/cli/filters/summary.h"
#include "apps/cli/records/stream.h"
#include "apps/cli/remote/remote_filter.h"

namespace bloomery::cli {

Result<Summary> insert_remotely(RemoteFilter& filter, const std::string& path,
                                const std::vector<InputFile>& inputs, const RecordOptions& records,
                                const Globals& globals);

}  // namespace bloomery::cli
