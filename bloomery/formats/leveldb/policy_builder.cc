// Making the filters of leveldb_policy.h: choosing seeds that leave them emptiest.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "bloomery/base/endian.h"
#include "bloomery/formats/leveldb/policy.h"
#include "bloomery/hash/xxh.h"
#include "bloomery/layout/block_sizing.h"
#include "bloomery/simd/block_kernels.h"

namespace bloomery {
namespace {

using PolicyLayout = LevelDbPolicyShape::Layout;

constexpr std::uint8_t kTriedWindows = 8;  // of a short block, which is one of many

// LevelDB's own: at least 64 bits, in whole bytes, and one that counts probes.
std::size_t their_bytes(std::size_t keys, std::size_t bits_per_key) {
  return std::max<std::size_t>(64, keys * bits_per_key) / 8 +
         (keys * bits_per_key > 64 && keys * bits_per_key % 8 != 0 ? 1 : 0) + 1;
}

// The largest filter of blocks that fits.
std::size_t data_bytes_within(std::size_t page_bytes) {
  constexpr std::size_t kPageBytes = LevelDbPolicyShape::kPageBytes;
  constexpr std::size_t kStored = LevelDbPolicyShape::kStoredBlockBytes;
  std::size_t data = page_bytes / kPageBytes * LevelDbPolicyShape::kPageBlocks * block::kBlockBytes;
  const std::size_t rest = page_bytes % kPageBytes;
  if (rest <= LevelDbPolicyShape::kCheckBytes) return data;
  const std::size_t stored = rest - LevelDbPolicyShape::kCheckBytes;
  data += stored / kStored * block::kBlockBytes;
  if (const std::size_t last = stored % kStored; last > 8) data += last - 1;
  return data;
}

double classic_rate(double bits, double keys, double probes) {
  return std::pow(1 - std::exp(-probes * keys / bits), probes);
}

// More probes cost time, so they must gain a little.
std::uint32_t classic_probes(std::size_t bits, std::size_t keys, std::size_t bits_per_key) {
  constexpr double kWorthwhile = 0.98;
  const double most = 0.6931 * static_cast<double>(bits_per_key);
  const double ideal =
      0.6931 * static_cast<double>(bits) / static_cast<double>(std::max<std::size_t>(1, keys));
  const auto fewer = static_cast<std::uint32_t>(
      std::clamp(std::floor(std::min(ideal, most)), 1.0, double{LevelDbPolicyShape::kMostProbes}));
  if (fewer == LevelDbPolicyShape::kMostProbes || ideal > most) return fewer;
  const auto b = static_cast<double>(bits);
  const auto n = static_cast<double>(keys);
  return classic_rate(b, n, fewer + 1) < kWorthwhile * classic_rate(b, n, fewer) ? fewer + 1
                                                                                 : fewer;
}

void write_checks(ByteSpan filter, const LevelDbPolicyShape& shape) {
  for (std::size_t i = 0; i < internal::leveldb_policy_pages(shape); ++i) {
    const auto page = internal::leveldb_policy_page(shape, i);
    store_le(filter.data() + page.offset + page.data_bytes + page.seeds,
             internal::leveldb_policy_check(filter, page, i));
  }
}

// What or_bits does, for few bytes and a hundred times per filter.
void lay_over(std::byte* to, const std::byte* from, std::size_t size) {
  for (; size >= 8; size -= 8, to += 8, from += 8)
    store_le(to, load_le<std::uint64_t>(to) | load_le<std::uint64_t>(from));
  for (; size > 0; --size) *to++ |= *from++;
}

// The bits of each probe apart, and the seed that makes them overlap most when they are laid over
// one another.
class ClassicTrials {
 public:
  explicit ClassicTrials(const LevelDbPolicyShape& shape) : shape_{shape} {
    for (std::uint32_t i = 0; i < shape.probes; ++i) std::ranges::fill(part(i), std::byte{0});
  }

  void add(std::uint64_t digest) {
    internal::leveldb_policy_probes(digest, shape_.probes, shape_.data_bytes,
                                    [&](std::uint32_t i, std::uint64_t position) {
                                      parts_[i][position / 8] |= std::byte{1} << (position % 8);
                                    });
  }
  // Fills `bits` with the emptiest, and returns its seed; ties go to the lowest.
  std::uint32_t best(ByteSpan bits) {
    std::uint32_t best = 0;
    std::uint64_t fewest = UINT64_MAX;
    for (std::uint32_t seed = 0; seed < LevelDbPolicyShape::kSeeds; ++seed) {
      lay(seed, bits);
      const std::uint64_t ones = count_ones(bits);
      if (ones >= fewest) continue;
      fewest = ones;
      best = seed;
    }
    lay(best, bits);
    return best;
  }

 private:
  ByteSpan part(std::uint32_t i) { return ByteSpan{parts_[i]}.first(shape_.data_bytes); }
  void lay(std::uint32_t seed, ByteSpan bits) {
    std::ranges::copy(part(0), bits.begin());
    for (std::uint32_t i = 1; i < shape_.probes; ++i) {
      const std::size_t turn = internal::leveldb_policy_turn(seed, i, bits.size());
      lay_over(bits.data() + turn, parts_[i].data(), bits.size() - turn);
      lay_over(bits.data(), parts_[i].data() + bits.size() - turn, turn);
    }
  }

  static constexpr std::size_t kMostBytes =
      LevelDbPolicyShape::kFewestBlocks * LevelDbPolicyShape::kStoredBlockBytes;
  LevelDbPolicyShape shape_;
  std::array<std::array<std::byte, kMostBytes>, LevelDbPolicyShape::kMostProbes> parts_;
};

// Keeps the window set that leaves the block emptiest, by the product of its sectors' ones, as a
// whole block does; among fewer sets, for there is no kernel for it.
class ShortBlock {
 public:
  ShortBlock(std::span<const Hash128> keys, std::uint32_t probes, ByteSpan block)
      : keys_{keys}, probes_{probes}, block_{block} {}

  std::uint8_t build() {
    std::uint64_t least = UINT64_MAX;
    std::uint8_t best = 0;
    for (std::uint8_t seed = 0; seed < kTriedWindows; ++seed) {
      const std::uint64_t fill = set(seed);
      if (fill >= least) continue;
      least = fill;
      best = seed;
    }
    set(best);
    return best;
  }

 private:
  // The product: at most 63^8, which 64 bits hold.
  std::uint64_t set(std::uint8_t seed) {
    std::ranges::fill(block_, std::byte{0});
    std::array<std::uint64_t, block::kSectors> ones{};
    for (const Hash128& key : keys_) {
      for (std::uint32_t used = block::sectors_of(key.low, probes_); used != 0; used &= used - 1) {
        const auto sector = static_cast<std::uint32_t>(std::countr_zero(used));
        const std::size_t bit =
            internal::leveldb_policy_short_bit(key.high, sector, seed, block_.size());
        const std::byte mask = std::byte{1} << (bit % 8);
        ones[sector] += (block_[bit / 8] & mask) == std::byte{0} ? 1 : 0;
        block_[bit / 8] |= mask;
      }
    }
    std::uint64_t product = 1;
    for (const std::uint64_t count : ones) product *= count;
    return product;
  }

  std::span<const Hash128> keys_;
  std::uint32_t probes_;
  ByteSpan block_;
};

}  // namespace

LevelDbPolicySizing::LevelDbPolicySizing(int bits_per_key)
    : bits_per_key_{static_cast<std::size_t>(std::clamp(bits_per_key, 1, kMostBitsPerKey))} {
  // Blocks are loaded alike for any number of keys.
  constexpr std::uint64_t kBlocks = 1024;
  const double keys =
      kBlocks * LevelDbPolicyShape::kStoredBlockBytes * 8.0 / static_cast<double>(bits_per_key_);
  block_probes_ = best_block_probes(kBlocks, keys, true);
}

LevelDbPolicyShape LevelDbPolicySizing::shape_for(std::size_t keys) const {
  constexpr std::size_t kOverhead =
      LevelDbPolicyShape::kHeaderBytes + LevelDbPolicyShape::kCheckBytes;
  const std::size_t bytes = their_bytes(keys, bits_per_key_);
  constexpr std::size_t kLeastBlockBytes =
      LevelDbPolicyShape::kFewestBlocks * LevelDbPolicyShape::kStoredBlockBytes;
  if (const std::size_t data = bytes - kOverhead; data < kLeastBlockBytes)
    return {PolicyLayout::kClassic, classic_probes(data * 8, keys, bits_per_key_), 0, data};
  return {PolicyLayout::kBlock, block_probes_, 0,
          data_bytes_within(bytes - LevelDbPolicyShape::kHeaderBytes)};
}

LevelDbPolicyBuilder::LevelDbPolicyBuilder(const LevelDbPolicySizing& sizing, std::size_t keys)
    : shape_{sizing.shape_for(keys)} {
  if (shape_.layout == PolicyLayout::kClassic)
    digests_.reserve(keys);
  else
    hashes_.reserve(keys);
}

void LevelDbPolicyBuilder::add(std::span<const ByteView> keys) {
  if (shape_.layout == PolicyLayout::kClassic) {
    for (const ByteView key : keys) digests_.push_back(xxh3_64(key));
    return;
  }
  const std::size_t before = hashes_.size();
  hashes_.resize(before + keys.size());
  simd::active_block_kernels().hash_bytes(Hasher{}, keys.data(), keys.size(),
                                          hashes_.data() + before);
}

std::size_t LevelDbPolicyBuilder::filter_bytes() const {
  const auto last =
      internal::leveldb_policy_page(shape_, internal::leveldb_policy_pages(shape_) - 1);
  return last.offset + last.bytes() + LevelDbPolicyShape::kHeaderBytes;
}

void LevelDbPolicyBuilder::finish(ByteSpan filter) {
  assert(filter.size() == filter_bytes());
  if (shape_.layout == PolicyLayout::kClassic)
    finish_classic(filter);
  else
    finish_blocks(filter);
  write_checks(filter, shape_);
  digests_.clear();
  hashes_.clear();
}

void LevelDbPolicyBuilder::finish_classic(ByteSpan filter) {
  ClassicTrials trials{shape_};
  for (const std::uint64_t digest : digests_) trials.add(digest);
  const std::uint32_t seed = trials.best(filter.first(shape_.data_bytes));
  filter.back() = static_cast<std::byte>(shape_.probes << 4 | seed);
}

void LevelDbPolicyBuilder::finish_blocks(ByteSpan filter) {
  const auto number_of = [&](const Hash128& hash) {
    return static_cast<std::size_t>(block::block_of(hash.low, shape_.data_bytes)) /
           block::kBlockBytes;
  };
  std::vector<std::size_t> starts(shape_.blocks() + 1);
  for (const Hash128& hash : hashes_) ++starts[number_of(hash) + 1];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<Hash128> sorted(hashes_.size());
  std::vector<std::size_t> places = starts;
  for (const Hash128& hash : hashes_) sorted[places[number_of(hash)]++] = hash;

  for (std::size_t i = 0; i < shape_.blocks(); ++i) {
    const auto page = internal::leveldb_policy_page(shape_, i / LevelDbPolicyShape::kPageBlocks);
    const std::size_t in_page = i % LevelDbPolicyShape::kPageBlocks;
    const ByteSpan data =
        filter.subspan(page.offset, page.data_bytes).subspan(in_page * block::kBlockBytes);
    const std::span<const Hash128> keys{sorted.data() + starts[i], sorted.data() + starts[i + 1]};
    std::byte& seed = filter[page.offset + page.data_bytes + in_page];
    if (data.size() < block::kBlockBytes) {
      seed = std::byte{ShortBlock{keys, shape_.probes, data}.build()};
      continue;
    }
    block::BlockMask sectors{};
    seed = std::byte{simd::active_block_kernels().best_windows(
        keys.data(), keys.size(), shape_.probes, block::kWindowSets, sectors)};
    for (std::size_t j = 0; j < sectors.size(); ++j)
      store_le(data.data() + j * sizeof sectors[j], sectors[j]);
  }
  filter.back() = static_cast<std::byte>(shape_.probes);
}

}  // namespace bloomery
