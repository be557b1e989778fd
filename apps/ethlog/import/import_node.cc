#include "apps/ethlog/import/import_node.h"

#include "bloomery/base/message.h"

namespace bloomery::ethlog {

Status check_chain_id(ChainStore& store, std::uint64_t node, std::optional<std::uint64_t> wanted) {
  if (wanted && *wanted != node)
    return Error{ErrorCode::kInvalidArgument,
                 message("it is a node of chain ", node, ", not of chain ", *wanted)};
  const auto stored = store.chain_id();
  if (!stored) return stored.error();
  if (*stored == node) return ok();
  if (store.counts().blocks > 0)
    return Error{ErrorCode::kInvalidArgument,
                 message("it is a node of chain ", node, ", but the folder holds blocks of chain ",
                         *stored, "; use another folder")};
  return store.set_chain_id(node);
}

Result<SyncReport> import_from_node(ChainStore& store, BlockFetcher& fetcher,
                                    const NodeImport& options, ImportProgress& progress,
                                    const std::stop_token& stop) {
  const auto named = [&](ErrorCode code, const std::string& why) {
    return Error{code, fetcher.client().named(why)};
  };
  const auto id = fetcher.chain_id(stop);
  if (!id) {
    if (id.failure().trouble == NodeTrouble::kStopped) return SyncReport{};
    return named(id.failure().code, id.failure().why);
  }
  if (const Status right = check_chain_id(store, *id, options.chain_id); !right)
    return named(right.error().code, right.error().message);
  BlockImporter importer{
      store, options.sync_every, progress, options.on_progress, options.index_confirms, stop};
  const SyncTarget target{
      .reader = store.reader(),
      .gaps = [&] { return store.counts().gaps; },
      // The fetcher checked it.
      .add = [&](ImportedBlock block,
                 Gaps gaps) { return importer.add(std::move(block), gaps, ok()); },
      .set_finality = [&](const Finality& finality) { return store.set_finality(finality); }};
  auto report = NodeSync{fetcher}.run(target, options.range, stop, options.on_plan);
  Status acknowledged = importer.acknowledge();
  if (acknowledged && report) acknowledged = store.sync();  // what was noted of finality
  if (!report && report.failure().trouble != NodeTrouble::kStopped) {
    const NodeFailure& failure = report.failure();
    if (failure.trouble == NodeTrouble::kStore) return Error{failure.code, failure.why};
    return named(failure.code, failure.why);
  }
  if (!acknowledged) return acknowledged.error();
  if (report)
    if (Status indexed = importer.index(); !indexed) return indexed.error();
  return report ? *report : SyncReport{};
}

}  // namespace bloomery::ethlog
