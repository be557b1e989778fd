#include "apps/cli/filters/bulk_build.h"

#include "bloomery/filter/block/auto_sized.h"
#include "bloomery/filter/seeded/builder.h"

namespace bloomery::cli {
namespace {

// Every key of every record.
template <class Take>
Result<StreamTotals> take_keys(const BulkRequest& request, Take take) {
  KeyReader keys{request.records, ByteOrder::kLittle};
  return for_each_batch(request.inputs, keys, request.globals,
                        {[&](const Batch& batch) -> Result<bool> {
                          if (auto taken = take(batch.keys); !taken) return taken.error();
                          return true;
                        }});
}

}  // namespace

Result<BulkBuilt> build_seeded(const BulkRequest& request, const BlockPlan& plan) {
  const auto hash = key_hash_for(request.create);
  if (!hash) return hash.error();
  const std::uint64_t memory = request.globals.memory - plan.shape.bytes();
  auto builder = SeededBuilder::create(
      plan.shape, *hash, {.memory_bytes = memory, .threads = request.globals.threads});
  if (!builder) return builder.error();
  const auto totals = take_keys(
      request, [&](std::span<const ByteView> keys) -> Status { return builder->add(keys); });
  if (!totals) return totals.error();
  const Progress::Clock::time_point start = Progress::Clock::now();
  auto filter = builder->finish();
  if (!filter) return filter.error();
  const std::chrono::duration<double> finishing = Progress::Clock::now() - start;
  Provenance provenance = filter->provenance();
  provenance.goal = plan.goal;
  filter->set_provenance(provenance);
  return BulkBuilt{{std::move(*filter), request.create.funnel},
                   totals->records,
                   totals->seconds + finishing.count(),
                   totals->skipped,
                   totals->malformed};
}

Result<BulkBuilt> build_auto_sized(const BulkRequest& request) {
  const auto hash = key_hash_for(request.create);
  if (!hash) return hash.error();
  auto building = AutoSizedBlock::create(*hash, *request.create.sizing.rate,
                                         request.create.sizing.probes, request.globals.memory);
  if (!building) return building.error();
  const auto totals = take_keys(request, [&](std::span<const ByteView> keys) -> Status {
    building->add(keys);
    return ok();
  });
  if (!totals) return totals.error();
  const Progress::Clock::time_point start = Progress::Clock::now();
  auto filter = building->finish();
  if (!filter) return filter.error();
  const std::chrono::duration<double> finishing = Progress::Clock::now() - start;
  return BulkBuilt{{std::move(*filter), request.create.funnel},
                   totals->records,
                   totals->seconds + finishing.count(),
                   totals->skipped,
                   totals->malformed};
}

}  // namespace bloomery::cli
