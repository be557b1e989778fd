#include "apps/ethlog/import/import.h"

#include "apps/ethlog/import/check_ahead.h"
#include "apps/ethlog/import/make_sections.h"

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
           const OnImport& on_progress, const std::stop_token& stop)
      : store_{store},
        options_{options},
        progress_{progress},
        on_progress_{on_progress},
        stop_{stop} {}

  Status add(CheckedBlock checked) {
    const std::uint64_t number = checked.block.header.number;
    const std::uint64_t logs = logs_in(checked.block);
    const auto change = store_.add(std::move(checked.block), options_.gaps, checked.checked);
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
    if (unsynced_ < options_.sync_every) return ok();
    if (Status s = acknowledge(); !s) return s;
    const auto confirmed = confirmed_now();
    if (!confirmed) return confirmed.error();
    return *confirmed == indexed_ ? ok() : index();
  }

  Status acknowledge() {
    if (unsynced_ > 0)
      if (Status synced = store_.sync(); !synced) return synced;
    unsynced_ = 0;
    progress_.acknowledged = progress_.last;
    if (on_progress_) on_progress_(progress_);
    return ok();
  }

  // Every section that is missing, unless the import was stopped.
  Status index() {
    if (!options_.index_confirms || stop_.stop_requested()) return ok();
    const auto made = make_sections(store_, *options_.index_confirms, UINT64_MAX, stop_);
    if (!made) return made.error();
    progress_.sections += *made;
    const auto confirmed = confirmed_now();
    if (!confirmed) return confirmed.error();
    indexed_ = *confirmed;
    return ok();
  }

 private:
  Result<std::uint64_t> confirmed_now() const {
    if (!options_.index_confirms) return indexed_;
    return confirmed_sections(store_.reader(), *options_.index_confirms);
  }

  ChainStore& store_;
  const ImportOptions& options_;
  ImportProgress& progress_;
  const OnImport& on_progress_;
  const std::stop_token& stop_;
  std::uint64_t unsynced_ = 0;
  std::uint64_t indexed_ = 0;  // sections that were confirmed when the index was last made
};

}  // namespace

Status import_blocks(ChainStore& store, const BlockSource& source, const ImportOptions& options,
                     ImportProgress& progress, const OnImport& on_progress,
                     const std::stop_token& stop) {
  Importer importer{store, options, progress, on_progress, stop};
  CheckAhead blocks{source, store, options.check_threads};
  Status outcome = ok();
  while (!stop.stop_requested()) {
    auto block = blocks.next();
    if (!block) outcome = block.error();
    if (!block || !*block) break;
    outcome = importer.add(std::move(**block));
    if (!outcome) break;
  }
  const Status acknowledged = importer.acknowledge();
  if (!outcome) return outcome;
  return acknowledged ? importer.index() : acknowledged;
}

}  // namespace bloomery::ethlog
