#include "apps/ethlog/model/clauses.h"

#include <algorithm>

#include "bloomery/formats/ethereum_bloom.h"

namespace bloomery::ethlog {
namespace {

bool every_block_meets(const Clause& clause) {
  return std::ranges::any_of(clause, [](const auto& key) { return !key.has_value(); }) ||
         clause.empty();
}

}  // namespace

std::vector<BitClause> bit_clauses(std::span<const Clause> clauses) {
  std::vector<ByteView> keys;
  std::vector<std::size_t> sizes;
  for (const Clause& clause : clauses) {
    if (every_block_meets(clause)) continue;
    for (const auto& key : clause) keys.push_back(*key);
    sizes.push_back(clause.size());
  }
  std::vector<EthereumBits> bits(keys.size());
  bloom_bits(keys, bits);
  std::vector<BitClause> all;
  auto at = bits.begin();
  for (const std::size_t size : sizes) {
    BitClause& clause = all.emplace_back();
    for (std::size_t i = 0; i < size; ++i, ++at) clause.push_back({(*at)[0], (*at)[1], (*at)[2]});
  }
  return all;
}

std::vector<std::uint32_t> bits_of_clauses(std::span<const BitClause> clauses) {
  std::vector<std::uint32_t> bits;
  for (const BitClause& clause : clauses)
    for (const KeyBits& key : clause) bits.insert(bits.end(), key.begin(), key.end());
  std::ranges::sort(bits);
  bits.erase(std::unique(bits.begin(), bits.end()), bits.end());
  return bits;
}

}  // namespace bloomery::ethlog
