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

}  // namespace bloomery
