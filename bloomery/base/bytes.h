// Bytes in passing. Included everywhere, so it includes little.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bloomery {

using ByteView = std::span<const std::byte>;
using ByteSpan = std::span<std::byte>;

inline ByteView bytes_of(std::string_view text) { return std::as_bytes(std::span{text}); }
inline std::string_view text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace bloomery
