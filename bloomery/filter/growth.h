// How a scalable filter grows: each layer holds `factor` times the keys of the one before and is
// `tightening` times as likely to err.
#pragma once
#include <cstdint>

namespace bloomery {

struct Growth {
  std::uint32_t factor = 2;
  double tightening = 0.5;
  std::uint32_t max_layers = 32;
  friend bool operator==(const Growth&, const Growth&) = default;
};

}  // namespace bloomery
