// What is in a chain folder, in a few numbers.
#pragma once
#include "apps/ethlog/index/adaptive/status.h"
#include "apps/ethlog/store/geth_directory.h"

namespace bloomery::ethlog {

// Size and real rate of the bloom-bit index, by sections spread over all of it.
struct BloombitsStatus {
  std::uint64_t sampled_sections = 0;
  double bytes_per_block = 0;  // of its vectors, as they are stored
  double rate = 0;  // the chance that a block is a candidate for a key that is not there: the mean
};

struct ChainStatus {
  bool geth = false;
  std::optional<std::uint64_t> head;
  std::optional<Hash> head_hash;
  std::optional<std::uint64_t> lowest;
  std::optional<StoreCounts> counts;      // of our own stores, by their records
  std::vector<BlockRange> gaps;           // numbers between the lowest and the head without a block
  std::vector<BlockRange> lost;           // that were stored once
  bool counters_wrong = false;            // of our own stores: they say other counts
  std::optional<std::uint64_t> chain_id;  // likewise
  std::uint64_t frozen_blocks = 0;        // in geth's freezer
  std::uint64_t section_size = 0;
  std::uint64_t sections = 0;        // of the bloom-bit index, from block 0 on without a gap
  std::uint64_t indexed_blocks = 0;  // in all valid sections, with gaps between them or not
  std::optional<BloombitsStatus> bloombits;  // where it has a section
  std::optional<AdaptiveStatus> adaptive;    // likewise
};

Result<ChainStatus> status_of(const ChainFolder& chain);

}  // namespace bloomery::ethlog
