// Bytes as lower-case hex, for tests that read better so.
#pragma once
#include <string>

#include "bloomery/base/bytes.h"

namespace bloomery {

inline std::string hex(ByteView bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte) >> 4];
    text += kDigits[std::to_integer<std::size_t>(byte) & 15];
  }
  return text;
}

}  // namespace bloomery
