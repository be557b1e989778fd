// Writes one segment of an index, from filters and from columns of older segments, stretch of rows
// by stretch of rows. Not for users.
#pragma once
#include <functional>

#include "bloomery/formats/index/bit_runs.h"
#include "bloomery/formats/index/filter_reader.h"

namespace bloomery::internal {

// The columns of an older segment that were not deleted.
struct OldColumns {
  const IndexSegment* segment;
  ByteView file;
};

struct SegmentPlan {
  NativeHeader shape;
  std::vector<OldColumns> old;      // first, in their order
  std::span<FilterReader> filters;  // then these
  std::uint64_t memory = 0;         // for the stretch of rows in flight; at least one is
  bool (*stop)() = nullptr;         // asked between stretches
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;  // in bytes of rows

  std::uint64_t columns() const;
};

// Writes it to `file` from segment.offset on, the multiple of kIndexPage at or after `from`.
// Names in the result are views of the filters and of the old segments.
Result<IndexSegment> write_segment(const SegmentPlan& plan, PositionedFile& file,
                                   std::uint64_t from);

}  // namespace bloomery::internal
