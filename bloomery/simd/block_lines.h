// What the loops over blocks need for keys that use several of them (layout/lines.h). Included by
// block_pipeline.h, so nothing here may be compiled once and shared.
#pragma once
#include "bloomery/layout/lines.h"
#include "bloomery/simd/key_sources.h"

namespace bloomery::simd {
namespace {

BLOOMERY_INLINE Hash128 next_line(Hash128 line) {
  const auto [place, bits] = block::next_line({line.low, line.high});
  return {place, bits};
}

BLOOMERY_INLINE bool uses_lines(const BlockTarget& target) {
  return target.probes > block::kMostProbes;
}

// The groups of a loop in which every group of keys occurs once for each of its lines, one after
// the other. Divides by multiplying: it is asked several times for each group.
class LineGroups {
 public:
  explicit LineGroups(std::uint32_t lines)
      : lines_{lines}, inverse_{~std::uint64_t{0} / lines + 1} {}
  std::size_t count() const { return lines_; }
  std::size_t keys(std::size_t group) const {  // the number of the group of keys
    return static_cast<std::size_t>((block::Product{group} * inverse_) >> 64);
  }
  std::size_t line(std::size_t group) const { return group - keys(group) * lines_; }

 private:
  std::size_t lines_;
  std::uint64_t inverse_;
};

}  // namespace
}  // namespace bloomery::simd
