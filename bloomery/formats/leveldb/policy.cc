#include "bloomery/formats/leveldb/policy.h"

#include <cassert>
#include <cmath>

#include "bloomery/filter/block/health.h"
#include "bloomery/hash/xxh.h"
#include "bloomery/simd/block_kernels.h"

namespace bloomery {
namespace {

using internal::LevelDbPolicyPage;
using PolicyLayout = LevelDbPolicyShape::Layout;

constexpr std::size_t kShortestBlock = 8;
constexpr std::size_t kFewestBlockBytes =
    LevelDbPolicyShape::kFewestBlocks * LevelDbPolicyShape::kStoredBlockBytes;

// The bytes of keys in all pages together; empty where a page would have bytes to spare.
std::optional<std::size_t> block_data_bytes(std::size_t page_bytes) {
  const std::size_t full_pages = page_bytes / LevelDbPolicyShape::kPageBytes;
  const std::size_t full = full_pages * LevelDbPolicyShape::kPageBlocks * block::kBlockBytes;
  const std::size_t rest = page_bytes % LevelDbPolicyShape::kPageBytes;
  if (rest == 0) return full;
  if (rest < LevelDbPolicyShape::kCheckBytes + 1 + kShortestBlock) return std::nullopt;
  const std::size_t stored = rest - LevelDbPolicyShape::kCheckBytes;
  const std::size_t whole = stored / LevelDbPolicyShape::kStoredBlockBytes;
  const std::size_t last = stored % LevelDbPolicyShape::kStoredBlockBytes;
  if (last == 0) return full + whole * block::kBlockBytes;
  if (last < 1 + kShortestBlock) return std::nullopt;
  return full + whole * block::kBlockBytes + last - 1;
}

bool bit_set(ByteView bits, std::uint64_t position) {
  return (static_cast<unsigned>(bits[position / 8]) >> (position % 8) & 1U) != 0;
}

// The first byte of every key's block is found by scaling to bytes, so a short block gets as many
// keys fewer as it is shorter.
std::size_t block_of(std::uint64_t place, const LevelDbPolicyShape& shape) {
  return static_cast<std::size_t>(block::block_of(place, shape.data_bytes)) / block::kBlockBytes;
}

struct FoundBlock {
  LevelDbPolicyPage page;
  std::size_t page_number;
  ByteView bytes;
  std::uint32_t seed;
};
FoundBlock find(ByteView filter, const LevelDbPolicyShape& shape, std::size_t number) {
  const std::size_t page_number = number / LevelDbPolicyShape::kPageBlocks;
  const auto page = internal::leveldb_policy_page(shape, page_number);
  const std::size_t in_page = number % LevelDbPolicyShape::kPageBlocks;
  const ByteView data =
      filter.subspan(page.offset, page.data_bytes).subspan(in_page * block::kBlockBytes);
  return {page, page_number, data.first(std::min(data.size(), block::kBlockBytes)),
          static_cast<std::uint32_t>(filter[page.offset + page.data_bytes + in_page])};
}

bool short_block_matches(const FoundBlock& block, std::uint32_t sectors, std::uint64_t bits) {
  for (std::uint32_t i = 0; i < block::kSectors; ++i)
    if ((sectors >> i & 1) != 0 &&
        !bit_set(block.bytes,
                 internal::leveldb_policy_short_bit(bits, i, block.seed, block.bytes.size())))
      return false;
  return true;
}

bool block_matches(const FoundBlock& block, std::uint32_t probes, Hash128 hash) {
  if (block.seed >= block::kWindowSets) return true;  // damaged
  if (block.bytes.size() < block::kBlockBytes)
    return short_block_matches(block, block::sectors_of(hash.low, probes), hash.high);
  // Only read: a lookup writes nothing.
  auto* bytes = const_cast<std::byte*>(block.bytes.data());
  const auto seed = static_cast<std::uint8_t>(block.seed);
  const simd::BlockTarget target{bytes, 1, &seed, probes, Hasher{}};
  return simd::active_block_kernels().hashes.one_key(target).may_contain(target, hash);
}

bool page_holds(ByteView filter, const LevelDbPolicyPage& page, std::size_t number) {
  const auto stored =
      load_le<std::uint16_t>(filter.data() + page.offset + page.data_bytes + page.seeds);
  return stored == internal::leveldb_policy_check(filter, page, number);
}

bool classic_matches(ByteView filter, const LevelDbPolicyShape& shape, ByteView key) {
  const std::size_t bytes = shape.data_bytes;
  unsigned all = 1;  // without branches: each would be mispredicted for half of the absent keys
  internal::leveldb_policy_probes(
      xxh3_64(key), shape.probes, bytes, [&](std::uint32_t i, std::uint64_t position) {
        const std::size_t turned =
            position / 8 + internal::leveldb_policy_turn(shape.seed, i, bytes);
        const std::size_t byte = turned < bytes ? turned : turned - bytes;
        all &= static_cast<unsigned>(filter[byte]) >> (position % 8);
      });
  return (all & 1) != 0;
}

Health health_of_blocks(ByteView filter, const LevelDbPolicyShape& shape) {
  std::uint64_t ones = 0;
  double maybes = 0;
  for (std::size_t number = 0; number < shape.blocks(); ++number) {
    const FoundBlock found = find(filter, shape, number);
    const std::size_t sector_bits = found.bytes.size();
    double fills[block::kSectors] = {};
    for (std::size_t bit = 0; bit < sector_bits * block::kSectors; ++bit)
      if (bit_set(found.bytes, bit))
        fills[bit / sector_bits] += 1.0 / static_cast<double>(sector_bits);
    double passing = 0;
    for (std::uint32_t pattern = 0; pattern < block::kPatterns; ++pattern) {
      double chance = 1;
      for (std::uint32_t i = 0; i < block::kSectors; ++i)
        if ((block::pattern(pattern, shape.probes) >> i & 1) != 0) chance *= fills[i];
      passing += chance / block::kPatterns;
    }
    maybes += passing * static_cast<double>(sector_bits);
    ones += count_ones(found.bytes);
  }
  Health health = classic_health({std::uint64_t{shape.data_bytes} * 8, shape.probes}, ones, {});
  health.error_rate = maybes / static_cast<double>(shape.data_bytes);
  health.verdict = judge(health.fill, health.error_rate, {});
  return health;
}

}  // namespace

std::optional<LevelDbPolicyShape> leveldb_policy_shape_of(ByteView filter) noexcept {
  constexpr std::size_t kOverhead =
      LevelDbPolicyShape::kHeaderBytes + LevelDbPolicyShape::kCheckBytes;
  if (filter.size() <= kOverhead) return std::nullopt;
  const auto header = static_cast<std::uint32_t>(filter.back());
  const std::size_t stored = filter.size() - kOverhead;
  const std::uint32_t high = header >> 4;
  const std::uint32_t low = header & 15;
  if (high != 0) {
    if (stored >= kFewestBlockBytes) return std::nullopt;
    return LevelDbPolicyShape{PolicyLayout::kClassic, high, low, stored};
  }
  if (low < block::kFewestProbes || low > block::kMostProbes || stored < kFewestBlockBytes)
    return std::nullopt;
  const auto data = block_data_bytes(filter.size() - LevelDbPolicyShape::kHeaderBytes);
  if (!data) return std::nullopt;
  return LevelDbPolicyShape{PolicyLayout::kBlock, low, 0, *data};
}

bool leveldb_policy_may_contain(ByteView filter, ByteView key) noexcept {
  const auto shape = leveldb_policy_shape_of(filter);
  if (!shape) return true;
  // Only a "no" needs the check: a damaged filter that says "maybe" costs a read and no key.
  if (shape->layout == PolicyLayout::kClassic)
    return classic_matches(filter, *shape, key) ||
           !page_holds(filter, internal::leveldb_policy_page(*shape, 0), 0);
  const Hash128 hash = xxh3_128(key);
  const FoundBlock found = find(filter, *shape, block_of(hash.low, *shape));
  return block_matches(found, shape->probes, hash) ||
         !page_holds(filter, found.page, found.page_number);
}

bool leveldb_policy_holds(ByteView filter) noexcept {
  const auto shape = leveldb_policy_shape_of(filter);
  if (!shape) return false;
  for (std::size_t i = 0; i < internal::leveldb_policy_pages(*shape); ++i)
    if (!page_holds(filter, internal::leveldb_policy_page(*shape, i), i)) return false;
  return true;
}

Health leveldb_policy_health(ByteView filter) {
  const auto shape = leveldb_policy_shape_of(filter);
  assert(shape);
  if (shape->layout == PolicyLayout::kBlock) return health_of_blocks(filter, *shape);
  const std::uint64_t bits = std::uint64_t{shape->data_bytes} * 8;
  return classic_health({bits, shape->probes}, count_ones(filter.first(shape->data_bytes)), {});
}

}  // namespace bloomery
