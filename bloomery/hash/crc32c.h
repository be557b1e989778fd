// CRC-32C (Castagnoli, RFC 3720 B.4): the checksum of storage formats. Not for filters.
#pragma once
#include "bloomery/base/bytes.h"

namespace bloomery {

// Of `bytes`, or, given the checksum of what came before, of both together.
std::uint32_t crc32c(ByteView bytes, std::uint32_t before = 0) noexcept;

namespace internal {
// By table, for processors without the instruction; same numbers.
std::uint32_t crc32c_portable(ByteView bytes, std::uint32_t before = 0) noexcept;
}  // namespace internal

}  // namespace bloomery
