// Keys of a benchmark: sixteen random bytes each, from a fixed seed; present and absent ones never
// meet.
#pragma once
#include <cstdint>
#include <vector>

#include "bloomery/base/endian.h"
#include "bloomery/base/split_mix.h"

namespace bloomery::bench {

class Keys {
 public:
  static constexpr std::size_t kKeyBytes = 16;

  Keys(std::size_t count, std::uint64_t seed) : bytes_(count * kKeyBytes), views_(count) {
    internal::SplitMix64 random{seed};
    for (std::size_t i = 0; i < count; ++i) {
      std::byte* key = bytes_.data() + i * kKeyBytes;
      store_le(key, random());
      store_le(key + 8, random());
      views_[i] = {key, kKeyBytes};
    }
  }
  std::span<const ByteView> views() const { return views_; }

 private:
  std::vector<std::byte> bytes_;
  std::vector<ByteView> views_;
};

}  // namespace bloomery::bench
