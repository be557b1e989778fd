// The generator that the golden files of Ethereum name.
#pragma once
#include <vector>

#include "bloomery/base/endian.h"
#include "bloomery/base/split_mix.h"

namespace bloomery::testing {

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : random_{seed} {}
  std::uint64_t next() { return random_(); }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  std::vector<std::byte> bytes(std::size_t size) {
    std::vector<std::byte> out((size + 7) / 8 * 8);
    for (std::size_t at = 0; at < out.size(); at += 8) store_be(out.data() + at, next());
    out.resize(size);
    return out;
  }

 private:
  internal::SplitMix64 random_;
};

}  // namespace bloomery::testing
