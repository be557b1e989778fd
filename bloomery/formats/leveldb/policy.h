// The filters of our own policy inside LevelDB tables, by their bytes:
// docs/formats/leveldb-policy.md. LevelDB makes one for each stretch of a table, keeps no checksum
// over it by default, and asks it by its bytes alone. So all that a lookup needs follows from the
// size and the last byte, and every page carries a check of its own: a filter that is damaged
// answers "maybe".
#pragma once
#include <optional>
#include <vector>

#include "bloomery/filter/health.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/layout/block.h"

namespace bloomery {

// The metaindex of a table calls the block of these filters "filter." and this. Another name where
// the bytes change.
inline constexpr const char* kLevelDbPolicyName = "bloomery.BlockFilter1";

// A filter is pages, then one byte of header. A page is bits, seeds and a check of two bytes over
// them, over the header and over the filter's size.
struct LevelDbPolicyShape {
  enum class Layout : std::uint8_t { kClassic, kBlock };
  static constexpr std::size_t kHeaderBytes = 1;
  static constexpr std::size_t kCheckBytes = 2;
  static constexpr std::size_t kFewestBlocks = 8;  // smaller filters are classic
  static constexpr std::size_t kPageBlocks = 16;   // a lookup checks one page
  static constexpr std::size_t kStoredBlockBytes = block::kBlockBytes + 1;  // with its seed
  static constexpr std::size_t kPageBytes = kPageBlocks * kStoredBlockBytes + kCheckBytes;
  static constexpr std::uint32_t kMostProbes = 15;  // of a classic one
  static constexpr std::uint32_t kSeeds = 16;       // of a classic one

  Layout layout;
  std::uint32_t probes;
  std::uint32_t seed;  // of a classic filter: how far the bits of each probe are turned
  // Of all keys, without seeds, checks and header. In the block layout the last block may be short:
  // eight sectors of as many bits as it has bytes, 8 to 63.
  std::size_t data_bytes;

  std::size_t blocks() const { return (data_bytes + block::kBlockBytes - 1) / block::kBlockBytes; }
  friend bool operator==(const LevelDbPolicyShape&, const LevelDbPolicyShape&) = default;
};

// Empty where no filter of ours has this size and last byte.
std::optional<LevelDbPolicyShape> leveldb_policy_shape_of(ByteView filter) noexcept;

// False only if the key is certainly absent: the part of the filter that says so passes its check.
bool leveldb_policy_may_contain(ByteView filter, ByteView key) noexcept;

// True if every page passes its check.
bool leveldb_policy_holds(ByteView filter) noexcept;

// From the bits as they are: the chance of a false "maybe" is exact for blocks. Precondition:
// leveldb_policy_holds(filter).
Health leveldb_policy_health(ByteView filter);

// What bits per key mean, worked out once per policy. A filter never takes more bytes than
// LevelDB's own of the same keys and bits per key: seeds, checks and header are within.
class LevelDbPolicySizing {
 public:
  static constexpr int kMostBitsPerKey = 1024;
  explicit LevelDbPolicySizing(int bits_per_key);  // taken to be 1 to kMostBitsPerKey

  LevelDbPolicyShape shape_for(std::size_t keys) const;

 private:
  std::size_t bits_per_key_;
  std::uint32_t block_probes_;
};

// Makes one filter from digests of its keys.
class LevelDbPolicyBuilder {
 public:
  LevelDbPolicyBuilder(const LevelDbPolicySizing& sizing, std::size_t keys);

  // Precondition: no more keys than were announced.
  void add(std::span<const ByteView> keys);
  std::size_t filter_bytes() const;
  // Fills all of `filter`, of filter_bytes(). Forgets the keys.
  void finish(ByteSpan filter);

 private:
  void finish_classic(ByteSpan filter);
  void finish_blocks(ByteSpan filter);

  LevelDbPolicyShape shape_;
  std::vector<std::uint64_t> digests_;  // of a classic filter
  std::vector<Hash128> hashes_;         // of blocks
};

namespace internal {

// Where page i of a filter lies in it, and its parts. The short block, if there is one, is the last
// of its page.
struct LevelDbPolicyPage {
  std::size_t offset;
  std::size_t data_bytes;
  std::size_t seeds;
  std::size_t bytes() const { return data_bytes + seeds + LevelDbPolicyShape::kCheckBytes; }
};
LevelDbPolicyPage leveldb_policy_page(const LevelDbPolicyShape& shape, std::size_t i) noexcept;
std::size_t leveldb_policy_pages(const LevelDbPolicyShape& shape) noexcept;
// The sum in the check of a page, by the vectors of these kernels: "baseline", "avx2" or "avx512".
// Precondition: at least 64 bytes.
std::uint64_t leveldb_policy_sum(ByteView content, std::string_view kernels) noexcept;
// Of the page as it lies there: what its last two bytes must be. Never 0.
std::uint16_t leveldb_policy_check(ByteView filter, const LevelDbPolicyPage& page,
                                   std::size_t number) noexcept;

// Calls visit(i, position) for each probe of a classic filter, before it is turned.
template <class Visit>
[[gnu::always_inline]] inline void leveldb_policy_probes(std::uint64_t digest, std::uint32_t probes,
                                                         std::size_t data_bytes, Visit visit) {
  // The multiplier of a full-period generator with good lattices (Steele and Vigna 2021).
  constexpr std::uint64_t kMultiplier = 0xf1357aea2e62a9c5;
  const std::uint64_t bits = data_bytes * 8;
  for (std::uint32_t i = 0; i < probes; ++i) {
    digest *= kMultiplier;
    visit(i, ((digest >> 32) * bits) >> 32);
  }
}

// A seed turns all bits of probe i by this many bytes, around the filter's end. So the builder has
// the bits of each probe once, and tries another seed by laying them over one another differently.
[[gnu::always_inline]] constexpr std::size_t leveldb_policy_turn(std::uint32_t seed,
                                                                 std::uint32_t i,
                                                                 std::size_t data_bytes) {
  return static_cast<std::size_t>((std::uint64_t{seed * i * 0x9e3779b1U} * data_bytes) >> 32);
}

// The bit of a sector in a short block, counted from the block's start: sixteen bits of a window
// are scaled to a sector of as many bits as the block has bytes.
constexpr std::size_t leveldb_policy_short_bit(std::uint64_t bits, std::uint32_t sector,
                                               std::uint32_t seed, std::size_t block_bytes) {
  const std::uint64_t window = std::rotr(bits, block::kWindows[seed][sector]) & 0xffff;
  return sector * block_bytes + static_cast<std::size_t>((window * block_bytes) >> 16);
}

}  // namespace internal
}  // namespace bloomery
