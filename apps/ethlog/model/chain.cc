#include "apps/ethlog/model/chain.h"

#include <algorithm>
#include <numeric>

#include "bloomery/hash/keccak.h"
#include "bloomery/simd/keccak_kernels.h"

namespace bloomery::ethlog {

Hash keccak_hash(ByteView bytes) { return Hash{keccak256(bytes)}; }

std::vector<Hash> keccak_hashes(std::span<const ByteView> all) {
  // Those of one length share lanes best.
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return all[i].size(); });
  std::vector<ByteView> sorted;
  sorted.reserve(all.size());
  for (const std::size_t i : order) sorted.push_back(all[i]);
  std::vector<simd::Keccak256Digest> digests(all.size());
  simd::active_keccak_kernels().hash(sorted.data(), sorted.size(), digests.data());
  std::vector<Hash> hashes(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) hashes[order[i]] = Hash{digests[i]};
  return hashes;
}

}  // namespace bloomery::ethlog
