#include "bloomery/hash/siphash.h"

#include <algorithm>
#include <bit>

#include "bloomery/base/endian.h"
#include "bloomery/hash/blake2b.h"

namespace bloomery {
namespace {

// The state of SipHash-2-4 (Aumasson and Bernstein 2012).
struct SipState {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void absorb(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
  std::uint64_t finish() {
    for (int i = 0; i < 4; ++i) round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

}  // namespace

Hash128 siphash_x24_128(ByteView key, const SipKey& sip_key) noexcept {
  const auto k0 = load_le<std::uint64_t>(sip_key.bytes.data());
  const auto k1 = load_le<std::uint64_t>(sip_key.bytes.data() + 8);
  SipState state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d ^ 0xee, k0 ^ 0x6c7967656e657261,
                 k1 ^ 0x7465646279746573};
  const std::size_t whole = key.size() / 8 * 8;
  for (std::size_t at = 0; at < whole; at += 8)
    state.absorb(load_le<std::uint64_t>(key.data() + at));
  std::uint64_t last = std::uint64_t{key.size()} << 56;
  for (std::size_t i = whole; i < key.size(); ++i)
    last |= std::to_integer<std::uint64_t>(key[i]) << (8 * (i - whole));
  state.absorb(last);
  state.v2 ^= 0xee;
  const std::uint64_t low = state.finish();
  state.v1 ^= 0xdd;
  return {low, state.finish()};
}

SipKey sip_key_from_secret(ByteView secret) noexcept {
  const auto digest = blake2b_256(secret);
  SipKey sip_key;
  std::copy_n(digest.begin(), sip_key.bytes.size(), sip_key.bytes.begin());
  return sip_key;
}

std::uint64_t secret_check(const SipKey& sip_key) noexcept {
  return siphash_x24_128(bytes_of("BLOOMERY"), sip_key).low;
}

}  // namespace bloomery
