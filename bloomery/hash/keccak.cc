#include "bloomery/hash/keccak.h"

#include <cryptopp/keccak.h>

namespace bloomery {

std::array<std::byte, 32> keccak256(ByteView key) noexcept {
  static_assert(CryptoPP::Keccak_256::DIGESTSIZE == 32);
  std::array<std::byte, 32> digest;
  CryptoPP::Keccak_256 keccak;
  keccak.CalculateDigest(reinterpret_cast<CryptoPP::byte*>(digest.data()),
                         reinterpret_cast<const CryptoPP::byte*>(key.data()), key.size());
  return digest;
}

}  // namespace bloomery
