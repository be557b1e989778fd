// The false-positive rate that a dialect really delivers, measured on a small filter where its
// shape promises too much.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>

#include "bloomery/filter/classic/classic.h"
#include "bloomery/filter/measure.h"
#include "bloomery/formats/leveldb/filter.h"
#include "bloomery/layout/sizing.h"

namespace bloomery {

// The rate of a large filter whose dialect has narrow hashes: positions beyond their reach stay
// clear, and keys of equal hash are one key to the filter. `expected` where the hashes are wide.
template <Dialect D>
double rate_within_reach(Shape shape, double keys, double expected) {
  const auto reaching = [&](std::uint64_t bits) {
    if (shape.bits <= bits) return expected;
    return expected_rate(Shape{bits, shape.probes}, keys);
  };
  if constexpr (requires { D::kReachableBits; }) return reaching(D::kReachableBits);
  if constexpr (std::same_as<D, LevelDb>) {  // one hash of 32 bits is all that is known of a key
    const double different = std::exp(-keys / 4294967296.0);
    return 1 - (1 - reaching(std::uint64_t{1} << 32)) * different;
  }
  return expected;
}

// The rate of a filter of this shape with that many keys: the expected one, unless a small filter
// of equal proportions measures far worse. Precondition: checked(shape), keys >= 1.
template <Dialect D>
double trial_rate(Shape shape, std::uint64_t keys, double expected) {
  constexpr std::uint64_t kTrialKeys = 10'000;
  constexpr std::uint64_t kSamples = 200'000;
  constexpr std::uint64_t kMostTrialBits = std::uint64_t{1} << 24;
  const double reached = rate_within_reach<D>(shape, static_cast<double>(keys), expected);
  if (reached > 1.05 * expected) return reached;
  if (keys > kTrialKeys) {
    const double scale = static_cast<double>(kTrialKeys) / static_cast<double>(keys);
    const auto multiples = static_cast<std::uint64_t>(
        std::ceil(static_cast<double>(shape.bits) * scale / bits_multiple<D>()));
    shape.bits = std::max<std::uint64_t>(1, multiples) * bits_multiple<D>();
    keys = kTrialKeys;
  }
  if (shape.bits > kMostTrialBits) return expected;  // too rare an error to be seen in a trial
  ClassicFilter<D> filter{shape};
  for (std::uint64_t i = 0; i < keys; ++i) {
    std::array<std::byte, 8> key;
    store_le(key.data(), i);
    filter.insert(key);
  }
  return confirmed_rate(expected, measured_rate(filter, kSamples, 1), kSamples);
}

}  // namespace bloomery
