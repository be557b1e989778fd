// BLAKE2b (RFC 7693) with 32 bytes and without a key: turns a secret of any length into one of
// fixed length.
#pragma once
#include <array>

#include "bloomery/base/bytes.h"

namespace bloomery {

std::array<std::byte, 32> blake2b_256(ByteView message) noexcept;

}  // namespace bloomery
