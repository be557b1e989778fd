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
  // Threads that check blocks while others are read and stored. None: for a source that may wait
  // for its next block, because an error would wait with it.
  std::size_t check_threads = 0;
  // A section is indexed once so many blocks follow it. Nothing: no index is made.
  std::optional<std::uint64_t> index_confirms = {};
};

// Over all sources of one import.
struct ImportProgress {
  std::uint64_t blocks = 0;                   // read from the sources
  std::uint64_t stored = 0;                   // of them, new or more complete than before
  std::uint64_t displaced = 0;                // taken out of the canonical chain by reorganisations
  std::uint64_t logs = 0;                     // in what was stored
  std::uint64_t sections = 0;                 // of indexes, made
  std::optional<std::uint64_t> last;          // the number of the last block
  std::optional<std::uint64_t> acknowledged;  // up to this one all would survive a loss of power
};
using OnImport = std::function<void(const ImportProgress&)>;

// Ends with the source, an error, or when stopped, which is no error; what was stored by then is
// acknowledged. Sections are indexed after an acknowledgement, never of blocks that could be lost.
// `on_progress` is called after every block and after every acknowledgement.
Status import_blocks(ChainStore& store, const BlockSource& source, const ImportOptions& options,
                     ImportProgress& progress, const OnImport& on_progress = {},
                     const std::stop_token& stop = {});

}  // namespace bloomery::ethlog
