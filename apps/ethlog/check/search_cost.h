// What a search over a whole chain costs, for a key that no block has: measured with parts of the
// chain, and scaled to all of it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/ethlog/check/status.h"

namespace bloomery::ethlog {

// Of the blocks that searches look up in one way.
struct SearchEstimatePart {
  std::string_view by;  // "adaptive", "bloombits" or "header blooms"
  std::uint64_t blocks = 0;
  std::uint64_t sampled_blocks = 0;  // 0: nothing was measured, and the rest is not known
  double candidates = 0;             // expected
  double decoded = 0;                // of them, whose receipts must be read
  double bytes = 0;                  // of index, or of headers
  double milliseconds = 0;           // warm, in one thread
};

struct SearchEstimate {
  std::vector<SearchEstimatePart> parts;  // in the order in which a search prefers them
  std::string problem;                    // why a part could not be measured; empty: all were

  SearchEstimatePart total() const;
};

// For a made-up address. Takes up to about a second. What cannot be read leaves a problem, no
// error.
SearchEstimate estimate_search_cost(const ChainReader& reader, const ChainStatus& status);

}  // namespace bloomery::ethlog
