// What the bits of a filter cannot tell: the goal it was made for and how many keys went in.
// Formats that do not carry one of them leave it empty, and it stays empty.
#pragma once
#include <optional>

#include "bloomery/layout/shape.h"

namespace bloomery {

struct Provenance {
  std::optional<Goal> goal = {};
  std::optional<std::uint64_t> keys_inserted = 0;  // inserts that changed a bit
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

// Of two filters merged: an upper bound of the distinct keys, empty where one of them is.
inline std::optional<std::uint64_t> sum_of_keys(std::optional<std::uint64_t> a,
                                                std::optional<std::uint64_t> b) {
  if (!a || !b) return std::nullopt;
  return *a > UINT64_MAX - *b ? UINT64_MAX : *a + *b;
}

}  // namespace bloomery
