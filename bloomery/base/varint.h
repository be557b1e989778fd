// Integers of variable length, seven bits to a byte, low bits first: the form that LevelDB,
// Protocol Buffers and Thrift share.
#pragma once
#include <optional>

#include "bloomery/base/byte_reader.h"

namespace bloomery {

// Empty where the bytes end early or the number needs more than 64 bits.
inline std::optional<std::uint64_t> read_varint(ByteReader& reader) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = reader.le<std::uint8_t>();
    if (reader.failed() || (shift == 63 && byte > 1)) return std::nullopt;
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

}  // namespace bloomery
