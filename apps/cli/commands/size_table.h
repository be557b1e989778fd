// The size of each layout and dialect for the same request: the numbers of `bloomery size`.
#pragma once
#include <string>
#include <vector>

#include "bloomery/layout/sizing.h"

namespace bloomery::cli {

struct SizeRow {
  std::string layout;
  std::string dialect;
  std::uint64_t keys;
  double rate;         // once all keys are in; tried out where a dialect's bits promise too much
  std::uint64_t bits;  // with the counters or the seeds
  std::uint64_t bytes;
  std::uint32_t probes;
  bool tried_out = false;
  double bits_per_key() const { return static_cast<double>(bits) / static_cast<double>(keys); }
};

struct SizeTable {
  Sizing sizing;              // solved for what was missing
  std::vector<SizeRow> rows;  // our own layouts first; dialects that refuse the goal are left out
};

// Where neither rate nor a second number is given, the rate is 1 %, as for `build`.
Result<SizeTable> size_table(SizingRequest request);

}  // namespace bloomery::cli
