// Which sizes the new filter of a format uses. create() of a format ignores the others, so callers
// refuse them first.
#pragma once
#include <string_view>

#include "bloomery/layout/sizing_request.h"

namespace bloomery {

enum SizeMember : unsigned {
  kSizeKeys = 1,
  kSizeRate = 2,
  kSizeBits = 4,
  kSizeProbes = 8,
  kSizeBitsPerKey = 16,
  kSizeBlocks = 32
};

unsigned given_sizes(const SizingRequest& sizing);  // the sum of those that are given
// True for our own format, too, whose create() refuses what it cannot use.
bool takes_sizes(std::string_view format, unsigned given);

}  // namespace bloomery
