#include "apps/ethlog/import/import.h"

namespace bloomery::ethlog {
namespace {

std::uint64_t logs_in(const ImportedBlock& block) {
  std::uint64_t logs = 0;
  for (const Receipt& receipt : block.receipts) logs += receipt.logs.size();
  return logs;
}

class Importer {
 public:
  Importer(ChainStore& store, const ImportOptions& options, ImportProgress& progress,
           const OnImport& on_progress)
      : store_{store}, options_{options}, progress_{progress}, on_progress_{on_progress} {}

  Status add(ImportedBlock block) {
    const std::uint64_t number = block.header.number;
    const std::uint64_t logs = logs_in(block);
    const auto change = store_.add(std::move(block), options_.gaps);
    if (!change) return change.error();
    progress_.blocks += 1;
    progress_.last = number;
    progress_.displaced += change->removed.size();
    if (change->stored) {
      progress_.stored += 1;
      progress_.logs += logs;
      unsynced_ += 1;
    }
    if (on_progress_) on_progress_(progress_);
    return unsynced_ < options_.sync_every ? ok() : acknowledge();
  }

  Status acknowledge() {
    if (unsynced_ > 0)
      if (Status synced = store_.sync(); !synced) return synced;
    unsynced_ = 0;
    progress_.acknowledged = progress_.last;
    if (on_progress_) on_progress_(progress_);
    return ok();
  }

 private:
  ChainStore& store_;
  const ImportOptions& options_;
  ImportProgress& progress_;
  const OnImport& on_progress_;
  std::uint64_t unsynced_ = 0;
};

}  // namespace

Status import_blocks(ChainStore& store, const BlockSource& source, const ImportOptions& options,
                     ImportProgress& progress, const OnImport& on_progress,
                     const std::stop_token& stop) {
  Importer importer{store, options, progress, on_progress};
  Status outcome = ok();
  while (!stop.stop_requested()) {
    auto block = source();
    if (!block) outcome = block.error();
    if (!block || !*block) break;
    outcome = importer.add(std::move(**block));
    if (!outcome) break;
  }
  const Status acknowledged = importer.acknowledge();
  return outcome ? acknowledged : outcome;
}

}  // namespace bloomery::ethlog
