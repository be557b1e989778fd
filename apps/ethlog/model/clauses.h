// A log query as the blooms can answer it: every clause must be met, and a clause is met by any of
// its keys. A bloom does not store at which place of a log a key stood.
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

// The bits of all clauses, ascending, each once.
std::vector<std::uint32_t> bits_of_clauses(std::span<const BitClause> clauses);

}  // namespace bloomery::ethlog
