// How many rows and probes a section of the adaptive index gets.
#pragma once
#include <span>

#include "bloomery/layout/shape.h"

namespace bloomery::ethlog {

// The smallest shape (bits are rows) whose expected rate, as the mean over all blocks of a section,
// is at most `rate`: blocks share one shape, so a dense one is paid for by the others, and empty
// ones cost nothing. Of shapes that are hardly larger the one with the fewest probes, for a search
// reads a row per probe. No rows where no block has a key; `most_rows` where the rate takes more.
// Precondition: 0 < rate < 1, most_rows >= 1.
Shape adaptive_shape(std::span<const std::uint32_t> keys_of_blocks, double rate,
                     std::uint64_t most_rows);

}  // namespace bloomery::ethlog
