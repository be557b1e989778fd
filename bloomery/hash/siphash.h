// SipHash-2-4 with 128 bits: keyed, for keys chosen by an adversary. An attacker without
// the SipKey cannot aim at a bit.
#pragma once
#include <array>

#include "bloomery/base/bytes.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

struct SipKey {
  std::array<std::byte, 16> bytes;
  friend bool operator==(const SipKey&, const SipKey&) = default;
};

Hash128 siphash_x24_128(ByteView key, const SipKey& sip_key) noexcept;

// A secret of any length: the first 16 bytes of its BLAKE2b-256.
SipKey sip_key_from_secret(ByteView secret) noexcept;

// What a file may keep of the secret: enough to notice a wrong one, not enough to learn it.
std::uint64_t secret_check(const SipKey& sip_key) noexcept;

}  // namespace bloomery
