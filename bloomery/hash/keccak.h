// Keccak-256 as submitted to the SHA-3 contest. The standard SHA3-256 pads otherwise: another hash.
// hash.
#pragma once
#include <array>

#include "bloomery/base/bytes.h"

namespace bloomery {

std::array<std::byte, 32> keccak256(ByteView key) noexcept;

}  // namespace bloomery
