// Hashes as a perfect hash function would give them: random, and the same for the same seed.
#pragma once
#include <random>
#include <vector>

#include "bloomery/hash/hash128.h"

namespace bloomery::testing {

inline std::vector<Hash128> random_hashes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<Hash128> hashes(count);
  for (Hash128& hash : hashes) hash = {random(), random()};
  return hashes;
}

}  // namespace bloomery::testing
