// A dialect from a double hash of your own: a function from key bytes to two numbers x and y. Probe
// i is (x + i*y) % bits.
#pragma once
#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

// kHash: Hash128 (ByteView) noexcept, a function or a lambda without captures. x and y must be
// independent of each other; measured_rate in filter/measure.h shows when they are not.
template <auto kHash>
struct DoubleHash {
  static constexpr std::string_view kName = "double-hash";
  using Digest = Hash128;  // low is x, high is y
  static Digest digest(ByteView key) noexcept { return kHash(key); }
  static std::uint64_t probe(const Digest& digest, std::uint32_t i, const Modulus& bits) noexcept {
    return (digest.low + i * digest.high) % bits;
  }
  // An odd number of bits: an even step would otherwise see only every second bit.
  static Result<Shape> shape_for(Goal goal) {
    auto shape = BloomeryClassic::shape_for(goal);
    if (shape) shape->bits |= 1;
    return shape;
  }
  friend bool operator==(const DoubleHash&, const DoubleHash&) = default;
};

}  // namespace bloomery
