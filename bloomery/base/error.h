// The two errors that most decoders and sizing rules return, by name. For sources of the library.
#pragma once
#include <string>
#include <utility>

#include "bloomery/base/result.h"

namespace bloomery {

inline Error malformed(std::string sentence) {
  return {ErrorCode::kMalformed, std::move(sentence)};
}
inline Error invalid_argument(std::string sentence) {
  return {ErrorCode::kInvalidArgument, std::move(sentence)};
}

}  // namespace bloomery
