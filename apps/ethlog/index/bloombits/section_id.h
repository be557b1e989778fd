// The name of a section's vectors: its number, and its last block, which a reorganisation replaces.
#pragma once
#include <compare>
#include <cstdint>

#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// Sections are ordered by number.
struct SectionId {
  std::uint64_t number = 0;
  Hash head = {};
  friend auto operator<=>(const SectionId&, const SectionId&) = default;
};

}  // namespace bloomery::ethlog
