// What became of a key that was to be inserted.
#pragma once
#include <cstdint>

namespace bloomery {

enum class InsertResult : std::uint8_t {
  kKnown,   // it seemed to be in
  kNew,     // it certainly was not
  kFull,    // it is not in, because the filter does not grow: ends the answers
  kFailed,  // it is not in, because memory is missing
};

}  // namespace bloomery
