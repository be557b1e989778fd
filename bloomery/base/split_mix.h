// SplitMix64 (Steele, Lea and Flood 2014): random numbers from a seed, for samples and benchmarks.
// Predictable: nothing secret comes from it.
#pragma once
#include <cstdint>

namespace bloomery::internal {

struct SplitMix64 {
  std::uint64_t state;  // begins as the seed

  std::uint64_t operator()() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
};

}  // namespace bloomery::internal
