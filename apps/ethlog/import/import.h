// Blocks from any source into the store. Can be stopped or killed at any moment and started again:
// what was acknowledged is there, and what is there is skipped.
#pragma once
#include <functional>
#include <stop_token>

#include "apps/ethlog/import/waiting_blocks.h"
#include "apps/ethlog/store/chain_store.h"

namespace bloomery::ethlog {

struct ImportOptions {
  Gaps gaps = Gaps::kRefused;
  std::uint64_t sync_every = 1000;  // blocks between two acknowledgements
  // Threads that check blocks while others are read and stored; none for a source that cannot be
  // opened again, because it may wait for its next block, and an error would wait with it.
  std::size_t check_threads = 0;
  // A section is indexed once so many blocks follow it. Nothing: no index is made.
  std::optional<std::uint64_t> index_confirms = {};
  // Where gaps are refused, blocks that came before their parents may wait for them here.
  std::size_t most_waiting_bytes = WaitingBlocks::kMostBytes;
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
  std::uint64_t sections = 0;                 // of indexes, made
  std::optional<std::uint64_t> last;          // the number of the last block
  std::optional<std::uint64_t> acknowledged;  // up to this one all would survive a loss of power
};
using OnImport = std::function<void(const ImportProgress&)>;

// Blocks into the store one by one, acknowledged every so many; sections are indexed after an
// acknowledgement, never of blocks that could be lost. What it is given must outlive it.
class BlockImporter {
 public:
  BlockImporter(ChainStore& store, std::uint64_t sync_every, ImportProgress& progress,
                const OnImport& on_progress, std::optional<std::uint64_t> index_confirms = {},
                std::stop_token stop = {})
      : store_{store},
        sync_every_{sync_every},
        progress_{progress},
        on_progress_{on_progress},
        index_confirms_{index_confirms},
        stop_{std::move(stop)} {}
  // `checked`: what check_block returned for this very block, where it was called already.
  Status add(ImportedBlock block, Gaps gaps, const std::optional<Status>& checked = {});
  Status acknowledge();
  // Every section that is missing, where any is to be made, until it is stopped.
  Status index();

 private:
  Result<std::uint64_t> confirmed_now() const;

  ChainStore& store_;
  std::uint64_t sync_every_;
  ImportProgress& progress_;
  const OnImport& on_progress_;
  std::optional<std::uint64_t> index_confirms_;
  std::stop_token stop_;
  std::uint64_t unsynced_ = 0;
  std::uint64_t indexed_ = 0;  // sections that were confirmed when the index was last made
};

// Ends with the source, an error, or when stopped, which is no error; what was stored by then is
// acknowledged. `on_progress` is called after every block and after every acknowledgement. The
// blocks may come in any order, as far as those that wait for their parents fit into memory.
Status import_blocks(ChainStore& store, const BlockSource& source, const ImportOptions& options,
                     ImportProgress& progress, const OnImport& on_progress = {},
                     const std::stop_token& stop = {});

struct NamedSource {
  std::function<Result<BlockSource>()> open;
  bool opens_again = true;  // false: a pipe, which can be read once
};

// The same of several sources. A source whose first block has no parent yet is read after those
// that bring it; otherwise the order is the given one.
Status import_sources(ChainStore& store, std::vector<NamedSource> sources,
                      const ImportOptions& options, ImportProgress& progress,
                      const OnImport& on_progress = {}, const std::stop_token& stop = {});

}  // namespace bloomery::ethlog
