#include "apps/ethlog/import/era_accumulator.h"

#include <sodium/crypto_hash_sha256.h>

#include <cassert>

#include "bloomery/base/endian.h"

namespace bloomery::ethlog {
namespace {

Hash hash_pair(const Hash& left, const Hash& right) {
  unsigned char both[2 * Hash::kSize];
  std::memcpy(both, left.bytes.data(), Hash::kSize);
  std::memcpy(both + Hash::kSize, right.bytes.data(), Hash::kSize);
  Hash out;
  crypto_hash_sha256(reinterpret_cast<unsigned char*>(out.bytes.data()), both, sizeof both);
  return out;
}

}  // namespace

Hash era_accumulator(std::span<const HeaderRecord> records) {
  assert(records.size() <= kBlocksPerEra);
  std::vector<Hash> level;
  level.reserve(records.size() + 1);
  for (const HeaderRecord& record : records)
    level.push_back(hash_pair(record.block_hash, record.total_difficulty));
  // What is missing of the 8192 places is zero: one hash stands for a whole empty subtree.
  Hash empty;
  for (std::size_t width = kBlocksPerEra; width > 1; width /= 2) {
    if (level.size() % 2 != 0) level.push_back(empty);
    for (std::size_t i = 0; i < level.size() / 2; ++i)
      level[i] = hash_pair(level[2 * i], level[2 * i + 1]);
    level.resize(level.size() / 2);
    empty = hash_pair(empty, empty);
  }
  Hash length;
  store_le(length.bytes.data(), std::uint64_t{records.size()});
  return hash_pair(level.empty() ? empty : level[0], length);
}

}  // namespace bloomery::ethlog
