// The same filter in the bytes of another format, where both hash keys alike. Where they do not,
// nothing can be done: a filter does not keep its keys, so they cannot be hashed again.
#pragma once
#include "bloomery/formats/format.h"

namespace bloomery {

// kUnsupported, with the reason, where the formats' hashes or sizes do not agree.
Result<std::vector<std::byte>> rewrap(const AnyFilter& filter, const Format& to);

}  // namespace bloomery
