#include "bloomery/hash/siphash.h"

#include <sodium/crypto_generichash.h>
#include <sodium/crypto_shorthash_siphash24.h>

#include <algorithm>

#include "bloomery/base/endian.h"

namespace bloomery {
namespace {

const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

}  // namespace

// Neither function below needs sodium_init(): it seeds random numbers and picks faster variants.
Hash128 siphash_x24_128(ByteView key, const SipKey& sip_key) noexcept {
  static_assert(crypto_shorthash_siphashx24_KEYBYTES == sizeof sip_key.bytes);
  std::array<std::byte, crypto_shorthash_siphashx24_BYTES> digest;
  crypto_shorthash_siphashx24(reinterpret_cast<unsigned char*>(digest.data()), raw(key.data()),
                              key.size(), raw(sip_key.bytes.data()));
  return {load_le<std::uint64_t>(digest.data()), load_le<std::uint64_t>(digest.data() + 8)};
}

SipKey sip_key_from_secret(ByteView secret) noexcept {
  std::array<std::byte, 32> digest;
  crypto_generichash(reinterpret_cast<unsigned char*>(digest.data()), digest.size(),
                     raw(secret.data()), secret.size(), nullptr, 0);
  SipKey sip_key;
  std::copy_n(digest.begin(), sip_key.bytes.size(), sip_key.bytes.begin());
  return sip_key;
}

std::uint64_t secret_check(const SipKey& sip_key) noexcept {
  return siphash_x24_128(bytes_of("BLOOMERY"), sip_key).low;
}

}  // namespace bloomery
