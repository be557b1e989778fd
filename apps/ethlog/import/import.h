// Blocks from any source into the store. Can be stopped or killed at any moment and started again:
// what was acknowledged is there, and what is there is skipped.
#pragma once
#include <functional>
#include <stop_token>

#include "apps/ethlog/store/chain_store.h"

namespace bloomery::ethlog {

struct ImportOptions {
  Gaps gaps = Gaps::kRefused;
  std::uint64_t sync_every = 1000;  // blocks between two acknowledgements
};

// In how many blocks each part was recomputed and found equal.
struct VerifiedCounts {
  std::uint64_t header_hash = 0;
  std::uint64_t body = 0;
  std::uint64_t receipts_root = 0;
  std::uint64_t bloom = 0;
  void add(const Verified& verified) {
    header_hash += verified.header_hash ? 1 : 0;
    body += verified.body ? 1 : 0;
    receipts_root += verified.receipts_root ? 1 : 0;
    bloom += verified.bloom ? 1 : 0;
  }
};

// Over all sources of one import.
struct ImportProgress {
  std::uint64_t blocks = 0;                   // read from the sources
  std::uint64_t stored = 0;                   // of them, new or more complete than before
  std::uint64_t displaced = 0;                // taken out of the canonical chain by reorganisations
  std::uint64_t logs = 0;                     // in what was stored
  VerifiedCounts verified;                    // of what was stored
  std::optional<std::uint64_t> last;          // the number of the last block
  std::optional<std::uint64_t> acknowledged;  // up to this one all would survive a loss of power
};
using OnImport = std::function<void(const ImportProgress&)>;

// Blocks into the store one by one, acknowledged every so many. What it is given must outlive it.
class BlockImporter {
 public:
  BlockImporter(ChainStore& store, std::uint64_t sync_every, ImportProgress& progress,
                const OnImport& on_progress)
      : store_{store}, sync_every_{sync_every}, progress_{progress}, on_progress_{on_progress} {}
  Status add(ImportedBlock block, Gaps gaps);
  Status acknowledge();

 private:
  ChainStore& store_;
  std::uint64_t sync_every_;
  ImportProgress& progress_;
  const OnImport& on_progress_;
  std::uint64_t unsynced_ = 0;
};

// Ends with the source, an error, or when stopped, which is no error; what was stored by then is
// acknowledged. `on_progress` is called after every block and after every acknowledgement.
Status import_blocks(ChainStore& store, const BlockSource& source, const ImportOptions& options,
                     ImportProgress& progress, const OnImport& on_progress = {},
                     const std::stop_token& stop = {});

}  // namespace bloomery::ethlog
