// Which bits a key has in the adaptive index. The kinds of keys are apart: an address is no topic,
// even where it is padded to 32 bytes.
#pragma once
#include "apps/ethlog/model/chain.h"
#include "bloomery/base/endian.h"
#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::ethlog {

// Taken from the hash of a section's last block, which is not known while the section's logs are
// written: an attacker cannot choose topics that have the bits of another contract's keys.
using SectionSalt = std::uint64_t;
inline SectionSalt salt_of(const Hash& head) { return load_le<SectionSalt>(head.bytes.data()); }

using KeyDigest = Hash128;
inline KeyDigest address_digest(const Address& address, SectionSalt salt) {
  return xxh3_128(address.view(), salt + 1);
}
inline KeyDigest topic_digest(const Topic& topic, SectionSalt salt) {
  return xxh3_128(topic.view(), salt + 2);
}
// Of a log's address with its first topic.
inline KeyDigest pair_digest(const Address& address, const Topic& topic, SectionSalt salt) {
  std::byte both[Address::kSize + Topic::kSize];
  std::memcpy(both, address.bytes.data(), Address::kSize);
  std::memcpy(both + Address::kSize, topic.bytes.data(), Topic::kSize);
  return xxh3_128(both, salt + 3);
}

// The probe rule is that of our classic filters: a block's bits are such a filter.
inline std::uint32_t key_row(const KeyDigest& digest, std::uint32_t probe, const Modulus& rows) {
  return static_cast<std::uint32_t>(BloomeryClassic{}.probe(digest, probe, rows));
}

}  // namespace bloomery::ethlog
