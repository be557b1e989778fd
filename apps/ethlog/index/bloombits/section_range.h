// The sections that a range of blocks touches, with the blocks of each that lie in the range.
#pragma once
#include <algorithm>
#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery::ethlog {

struct SectionRange {
  std::uint64_t section;
  std::uint64_t start;  // the first block of the section
  std::uint64_t first;  // the blocks asked for, both included
  std::uint64_t last;
};

// Precondition: the section holds a block of begin..end. Block numbers up to 2^64 - 1 are safe.
inline SectionRange range_in_section(std::uint64_t section, std::uint64_t begin, std::uint64_t end,
                                     std::uint64_t section_size) {
  const std::uint64_t start = section * section_size;
  const std::uint64_t last = end - start < section_size ? end : start + section_size - 1;
  return {section, start, std::max(start, begin), last};
}

// Calls visit(SectionRange) for each section of begin..end, both included, in order, until it
// returns false; never if begin is past end.
template <class Visit>
void for_each_section(std::uint64_t begin, std::uint64_t end, std::uint64_t section_size,
                      Visit visit) {
  if (begin > end) return;
  for (std::uint64_t section = begin / section_size;; ++section) {
    if (!visit(range_in_section(section, begin, end, section_size))) return;
    if (section == end / section_size) return;
  }
}

// What both matchers refuse, in one place.
Status checked_section_size(std::uint64_t section_size);
Error wrong_vector(std::uint32_t bit, std::uint64_t section, std::size_t bytes,
                   std::uint64_t section_size);

}  // namespace bloomery::ethlog
