// One part of a filter too large for this machine, built of real keys at its real density, and what
// is measured on it.
#pragma once
#include <vector>

#include "bench/scale_sim/key_stream.h"
#include "bloomery/base/result.h"
#include "bloomery/layout/block_sizing.h"

namespace bloomery::bench {

struct Trial {
  Goal goal;         // of the whole filter
  BlockShape shape;  // of the whole filter
  Part part;
  Profile profile = Profile::kXxh3_64;
  KeySource::Kind keys = KeySource::Kind::kInverse;
  std::uint64_t seed = 1;
  std::uint64_t queries = 10'000'000;  // of absent keys, after each step
  std::vector<double> steps = {1};     // shares of the goal's keys, ascending
};

// After one step.
struct Measured {
  double keys = 0;              // of the whole filter
  std::uint64_t part_keys = 0;  // of this part
  std::uint64_t queries = 0;    // of absent keys that fall into this part
  std::uint64_t maybes = 0;
  double bits_rate = 0;  // what all blocks of the part say: no queries, so no error of sampling
  double expected = 0;   // of the whole filter, by expected_rate()
  // One standard deviation of the rate of a part: over the choice of the hash, and over how many
  // keys fall into it.
  double part_deviation = 0;

  double rate() const { return static_cast<double>(maybes) / static_cast<double>(queries); }
  double query_deviation() const;  // of rate(), by the number of queries
  double deviation() const;        // of rate() - expected
  // The error in deviations: how far theory and measurement lie apart.
  double error() const { return (rate() - expected) / deviation(); }
  double bits_error() const { return (bits_rate - expected) / part_deviation; }
};

struct Outcome {
  std::vector<Measured> steps;
  std::uint64_t part_bytes = 0;
  std::uint64_t misrouted = 0;        // keys that the hash sends to another part: a defect
  std::uint64_t false_negatives = 0;  // a defect
  double build_ns = 0;                // of CPU time, hashing and inserting a key
  double hit_ns = 0;                  // hashing and looking up a key that was inserted
  double miss_ns = 0;
};

// kInvalidArgument for a part that does not exist, or a profile that the source cannot use.
Result<Outcome> simulate(const Trial& trial);

}  // namespace bloomery::bench
