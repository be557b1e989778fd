// Ranges of block numbers, and how they are named in sentences.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bloomery::ethlog {

struct BlockRange {  // both included
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  friend bool operator==(const BlockRange&, const BlockRange&) = default;
};

// "block 7", "blocks 7 to 9 and 12", at most the first five ranges and how many more there are.
std::string text_of_ranges(std::span<const BlockRange> ranges);

// Sorted, and those that touch each other joined.
std::vector<BlockRange> merged_ranges(std::vector<BlockRange> ranges);

}  // namespace bloomery::ethlog
