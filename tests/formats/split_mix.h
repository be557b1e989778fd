// The generator that the golden files of Ethereum name.
#pragma once
#include <vector>

#include "bloomery/base/endian.h"

namespace bloomery::testing {

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_{seed} {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  std::vector<std::byte> bytes(std::size_t size) {
    std::vector<std::byte> out((size + 7) / 8 * 8);
    for (std::size_t at = 0; at < out.size(); at += 8) store_be(out.data() + at, next());
    out.resize(size);
    return out;
  }

 private:
  std::uint64_t state_;
};

}  // namespace bloomery::testing
