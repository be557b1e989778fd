// Where the parts of each block lie in an era1 or ere file: its index read, and compared with the
// entries themselves.
#pragma once
#include <optional>
#include <vector>

#include "apps/ethlog/import/e2store.h"

namespace bloomery::ethlog {

struct EraBlock {
  E2Entry header;
  E2Entry body;
  std::optional<E2Entry> receipts;          // consensus or slim, as its type says
  std::optional<E2Entry> total_difficulty;  // before the merge
};

struct EraLayout {
  std::uint64_t first_block = 0;
  std::vector<EraBlock> blocks;
  std::optional<E2Entry> accumulator;  // before the merge
};

// Distinguishes the two by the index at the end.
Result<EraLayout> read_era_layout(const ReadAt& file);

}  // namespace bloomery::ethlog
