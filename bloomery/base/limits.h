// How much a decoder may believe. Every load has a limit; there is no "unlimited".
#pragma once
#include <cstdint>

namespace bloomery {

struct DecodeLimits {
  std::uint64_t max_bytes = std::uint64_t{1} << 30;  // of memory for the filter being read
};

}  // namespace bloomery
