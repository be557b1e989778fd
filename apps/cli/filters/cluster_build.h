// bloomery build into a Redis Cluster: its servers make the parts of the filter and add the keys.
#pragma once
#include "apps/cli/filters/output_file.h"
#include "apps/cli/records/stream.h"
#include "bloomery/formats/options.h"

namespace bloomery::cli {

// Whether the servers can make the filter themselves: a block filter for a known goal, hashed as
// they hash. Others are built here and loaded.
bool is_built_in_cluster(const std::string& path, const CreateOptions& create);

// Asked before the work: kUnsupported for a filter that no cluster takes, as store_shards() says.
Status fits_cluster(const std::string& path, const CreateOptions& create, Layout layout);

// The exit code. Precondition: is_built_in_cluster().
int build_in_cluster(const OutputOptions& output, const CreateOptions& create,
                     const std::vector<InputFile>& inputs, const RecordOptions& records,
                     const Globals& globals);

}  // namespace bloomery::cli
