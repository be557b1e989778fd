#include "apps/cli/filters/cluster_build.h"

#include <iostream>

#include "apps/cli/filters/insertion.h"
#include "apps/cli/filters/remote_insertion.h"
#include "apps/cli/remote/cluster_filter.h"
#include "apps/cli/shell/interrupts.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/redis_client.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/native/native.h"

namespace bloomery::cli {
namespace {

Goal goal_of(const CreateOptions& create) { return {*create.sizing.keys, *create.sizing.rate}; }

}  // namespace

bool is_built_in_cluster(const std::string& path, const CreateOptions& create) {
  if (!is_redis_address(path)) return false;
  const auto address = parse_redis_address(path);
  const SizingRequest& sizing = create.sizing;
  const bool plain = !sizing.bits && !sizing.blocks && !sizing.bits_per_key && !sizing.probes &&
                     !create.seeded && !create.sip_key;
  return address && address->shards && plain && sizing.keys && sizing.rate &&
         layout_for(create) == Layout::kBlock && create.funnel == FunnelName::kBytes &&
         !create.profile && create.seed == 0;
}

Status fits_cluster(const std::string& path, const CreateOptions& create, Layout layout) {
  if (!is_redis_address(path)) return ok();
  const auto address = parse_redis_address(path);
  if (!address || !address->shards) return ok();
  if (layout == Layout::kBlock && !create.seeded && !create.sip_key &&
      create.funnel == FunnelName::kBytes)
    return ok();
  return Error{ErrorCode::kUnsupported,
               message(without_password(path),
                       ": the shards of a cluster hold a block filter with one line per key, of "
                       "bytes, without seeds and secret; that is for rates of about 3e-4 to 25 %, "
                       "or say --layout block")};
}

int build_in_cluster(const OutputOptions& output, const CreateOptions& create,
                     const std::vector<InputFile>& inputs, const RecordOptions& records,
                     const Globals& globals) {
  const auto stop = [&](const Error& error) {
    return complain(output.path, error, Blame::kArguments);
  };
  const auto address = parse_redis_address(output.path);
  if (!address) return stop(address.error());
  if (output.force)
    if (auto gone = ShardedFilter::remove(*address, InterruptGuard::interrupted); !gone)
      return stop(gone.error());
  auto made = ShardedFilter::create(*address, goal_of(create), InterruptGuard::interrupted);
  if (!made) return stop(made.error());
  ClusterFilter filter{std::move(made->filter)};
  const Description before = filter.describe();
  if (!globals.quiet)
    std::cerr << "bloomery: plan: " << without_password(output.path) << ": " << before.layout
              << ", " << shape_sentence(before) << " in the servers\n";
  const auto summary = insert_remotely(filter, output.path, inputs, records, globals);
  if (!summary) return complain("", summary.error(), Blame::kArguments);
  report_insertion(output.path, *summary, before, globals);
  return kExitSuccess;
}

}  // namespace bloomery::cli
