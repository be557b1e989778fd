// The blocks of a chain counted by their own records, independent of the counter, and the numbers
// between them that are missing.
#pragma once
#include "apps/ethlog/model/block_range.h"
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

struct ChainCensus {
  std::uint64_t blocks = 0;      // canonical ones up to the head
  std::uint64_t unverified = 0;  // of them, without a header
  std::uint64_t missing = 0;     // numbers between the lowest and the head without a block
  std::optional<std::uint64_t> lowest;
  std::optional<std::uint64_t> highest;  // the head, unless its record is wrong
  std::vector<BlockRange> gaps;          // all that is missing
  // Of the gaps, those that were there once: the block above was linked to its parent when it came.
  // In a folder of geth every gap is one.
  std::vector<BlockRange> lost;
};

// Reads the key of every block.
Result<ChainCensus> count_blocks(const ChainReader& reader);

// What to do about lost blocks: a sentence, with the command where the folder is ours.
std::string lost_sentence(std::span<const BlockRange> lost, const std::string& folder);

}  // namespace bloomery::ethlog
