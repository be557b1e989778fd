#include "apps/ethlog/import/import.h"

namespace bloomery::ethlog {
namespace {

std::uint64_t logs_in(const ImportedBlock& block) {
  std::uint64_t logs = 0;
  for (const Receipt& receipt : block.receipts) logs += receipt.logs.size();
  return logs;
}

}  // namespace

Status BlockImporter::add(ImportedBlock block, Gaps gaps) {
  const std::uint64_t number = block.header.number;
  const std::uint64_t logs = logs_in(block);
  const auto change = store_.add(std::move(block), gaps);
  if (!change) return change.error();
  progress_.blocks += 1;
  progress_.last = number;
  progress_.displaced += change->removed.size();
  if (change->stored) {
    progress_.stored += 1;
    progress_.logs += logs;
    progress_.verified.add(change->verified);
    unsynced_ += 1;
  }
  if (on_progress_) on_progress_(progress_);
  return unsynced_ < sync_every_ ? ok() : acknowledge();
}

Status BlockImporter::acknowledge() {
  if (unsynced_ > 0)
    if (Status synced = store_.sync(); !synced) return synced;
  unsynced_ = 0;
  progress_.acknowledged = progress_.last;
  if (on_progress_) on_progress_(progress_);
  return ok();
}

Status import_blocks(ChainStore& store, const BlockSource& source, const ImportOptions& options,
                     ImportProgress& progress, const OnImport& on_progress,
                     const std::stop_token& stop) {
  BlockImporter importer{store, options.sync_every, progress, on_progress};
  Status outcome = ok();
  while (!stop.stop_requested()) {
    auto block = source();
    if (!block) outcome = block.error();
    if (!block || !*block) break;
    outcome = importer.add(std::move(**block), options.gaps);
    if (!outcome) break;
  }
  const Status acknowledged = importer.acknowledge();
  return outcome ? acknowledged : outcome;
}

}  // namespace bloomery::ethlog
