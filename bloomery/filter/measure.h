// The rate that a filter really has, by asking it. The bits tell the rate only if the probes are
// independent, and some dialects' are not (go-bloom: 5 % for 1 %; 32-bit hashes at 100 million
// keys).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "bloomery/base/endian.h"
#include "bloomery/base/split_mix.h"

namespace bloomery {

// The share of `samples` random 16-byte keys answered "maybe". They count as absent: the
// chance that one was inserted is below 2^-64 for any filter that fits a machine. Precondition:
// samples
// >= 1.
template <class F>
double measured_rate(const F& filter, std::uint64_t samples, std::uint64_t seed) {
  constexpr std::size_t kGroup = 256;
  std::array<std::array<std::byte, 16>, kGroup> raw;
  std::array<ByteView, kGroup> keys;
  std::array<std::uint8_t, kGroup> answers;
  internal::SplitMix64 next{seed};
  std::uint64_t maybes = 0;
  for (std::uint64_t asked = 0; asked < samples; asked += kGroup) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kGroup, samples - asked));
    for (std::size_t i = 0; i < count; ++i) {
      store_le(raw[i].data(), next());
      store_le(raw[i].data() + 8, next());
      keys[i] = raw[i];
    }
    filter.may_contain_batch(std::span{keys}.first(count), std::span{answers}.first(count));
    maybes += static_cast<std::uint64_t>(
        std::count(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(count), 1));
  }
  return static_cast<double>(maybes) / static_cast<double>(samples);
}

// The analytic rate, unless the measured one lies more than four standard deviations above it: then
// the bits mislead, and the measured rate counts. Precondition: samples >= 1.
inline double confirmed_rate(double analytic, double measured, std::uint64_t samples) {
  const auto count = static_cast<double>(samples);
  // One expected hit at least: below it the normal law says nothing.
  const double deviation = std::sqrt(std::max(analytic, 1 / count) * (1 - analytic) / count);
  return measured > analytic + 4 * deviation ? measured : analytic;
}

}  // namespace bloomery
