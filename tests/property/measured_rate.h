// The property that only many questions show: how often an absent key is answered "maybe".
#pragma once
#include <cmath>
#include <random>

#include "bloomery/base/endian.h"
#include "bloomery/layout/block_sizing.h"
#include "bloomery/layout/sizing.h"
#include "tests/property/properties.h"

namespace bloomery::testing {

// 16 random bytes: none is ever repeated.
class RandomKeys {
 public:
  explicit RandomKeys(std::uint64_t seed) : random_{seed} {}
  ByteView next() {
    store_le(key_.data(), std::uint64_t{random_()});
    store_le(key_.data() + 8, std::uint64_t{random_()});
    return key_;
  }

 private:
  std::mt19937_64 random_;
  std::array<std::byte, 16> key_{};
};

struct ExpectedRate {
  double rate;
  double variance;  // of one filter's own rate around it
};
// From the shape and the keys; a filter of layers or split blocks has no such formula, and its rate
// comes from its bits.
template <class F>
ExpectedRate expected_rate_of(const F& filter, double keys) {
  if constexpr (requires { filter.block_shape(); }) {
    const double deviation = rate_deviation(filter.block_shape(), keys);
    return {expected_rate(filter.block_shape(), keys), deviation * deviation};
  } else if constexpr (
      requires { filter.shape(); } && !requires { filter.layers(); }) {
    const Shape shape = filter.shape();
    const double rate = expected_rate(shape, keys);
    const double fill = std::pow(rate, 1.0 / shape.probes);
    const double slope = shape.probes * rate / fill;
    return {rate, slope * slope * fill * (1 - fill) / static_cast<double>(shape.bits)};
  } else {
    return {filter.health().error_rate, 0};
  }
}

// Ten bits per key, so about one error in a hundred; within four standard deviations.
template <class Make>
Violations check_rate(const Make& make, std::uint64_t seed) {
  constexpr std::uint64_t kScale = 200;
  constexpr int kAsked = 100'000;
  auto filter = make(kScale);
  const std::uint64_t keys = filter.size_bits() / 10;
  RandomKeys random{seed};
  for (std::uint64_t i = 0; i < keys; ++i) insert_one(filter, random.next());
  int maybes = 0;
  for (int i = 0; i < kAsked; ++i) maybes += filter.may_contain(random.next()) ? 1 : 0;
  const double measured = static_cast<double>(maybes) / kAsked;
  const ExpectedRate expected = expected_rate_of(filter, static_cast<double>(keys));
  const double variance = expected.rate * (1 - expected.rate) / kAsked + expected.variance;
  Violations violations;
  demand(violations, std::abs(measured - expected.rate) <= 4 * std::sqrt(variance),
         "the measured rate", measured, "is not the expected", expected.rate, "with", keys,
         "keys and seed", seed);
  return violations;
}

}  // namespace bloomery::testing
