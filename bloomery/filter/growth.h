// How a scalable filter grows: each layer holds `factor` times the keys of the one before and
// has `tightening` times its false-positive rate.
#pragma once
#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery {

struct Growth {
  std::uint32_t factor = 2;
  double tightening = 0.5;
  std::uint32_t max_layers = 32;
  friend bool operator==(const Growth&, const Growth&) = default;
};

// A lookup asks every layer: more than these are a mistake.
inline constexpr std::uint32_t kMaxLayers = 1024;

// Factor 1 to 32768, tightening strictly between 0 and 1 (NaN is not), 1 to kMaxLayers layers.
Result<Growth> checked(Growth growth);

}  // namespace bloomery
