// From the bits of a section to the numbers of its blocks.
#pragma once
#include <cstdint>
#include <vector>

#include "bloomery/base/bytes.h"

namespace bloomery::ethlog {

// Appends, ascending, every block from first to last (both included) whose bit is set, where bit 0
// is block `section_start`. Precondition: first <= last, and both lie in the section.
void append_blocks(ByteSpan bits, std::uint64_t section_start, std::uint64_t first,
                   std::uint64_t last, std::vector<std::uint64_t>& blocks);

}  // namespace bloomery::ethlog
