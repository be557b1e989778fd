// What a fuzz program demands of a result: a broken demand ends it, so that the input is kept.
#pragma once
#include <cstdlib>

namespace bloomery::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace bloomery::fuzz
