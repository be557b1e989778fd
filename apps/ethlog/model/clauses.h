// What a log search asks of the blooms: every clause must be met, and a clause is met by any of its
// keys. Where in a log a key stood is lost: blooms do not tell.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/base/bytes.h"

namespace bloomery::ethlog {

inline constexpr std::size_t kProbes = 3;
using KeyBits = std::array<std::uint32_t, kProbes>;  // the bit numbers of a key
using BitClause = std::vector<KeyBits>;              // never empty: see bit_clauses()

// An empty clause, and one that holds a wildcard, is met by every block.
using Clause = std::vector<std::optional<ByteView>>;

// The bits of all keys, hashed side by side. Clauses that every block meets are left out.
std::vector<BitClause> bit_clauses(std::span<const Clause> clauses);

}  // namespace bloomery::ethlog
