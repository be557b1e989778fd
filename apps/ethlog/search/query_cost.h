// What a search cost, in parts that add up: of an index, of a window of blocks, of all searches.
#pragma once
#include <chrono>
#include <cstdint>

#include "apps/ethlog/index/bloombits/candidate_source.h"

namespace bloomery::ethlog {

// Where the time of a search went; no moment counts twice.
struct StageTimes {
  using Duration = std::chrono::steady_clock::duration;
  Duration planning{};  // the range resolved, and which index covers what
  Duration index{};     // candidates found
  Duration headers{};   // header blooms tested
  Duration checking{};  // candidates checked by an index, without their receipts
  Duration reading{};   // blocks with their receipts read and decoded
  Duration matching{};  // logs compared, and handed out

  StageTimes& operator+=(const StageTimes& other);
  friend bool operator==(const StageTimes&, const StageTimes&) = default;
};

struct QueryCost {
  IndexCost index;                    // of all indexes together
  std::uint64_t indexed_blocks = 0;   // of the range, covered by an index
  std::uint64_t candidates = 0;       // from an index
  std::uint64_t header_blooms = 0;    // tested, where there is no index
  std::uint64_t blocks_read = 0;      // with their receipts
  std::uint64_t false_positives = 0;  // candidates without a matching log, read or not
  std::uint64_t missing_blocks = 0;   // skipped
  std::uint64_t logs = 0;
  StageTimes times;

  QueryCost& operator+=(const QueryCost& other);
  friend bool operator==(const QueryCost&, const QueryCost&) = default;
};

}  // namespace bloomery::ethlog
