// The split-block filter: a key touches one 32-byte block and sets one bit in each of its eight
// words. Takes hashes, not keys: the caller hashes a batch once.
#pragma once
#include "bloomery/base/buffer.h"
#include "bloomery/filter/health.h"
#include "bloomery/filter/provenance.h"
#include "bloomery/layout/split_block.h"

namespace bloomery {

// Many readers or one writer, as std::vector.
class SplitBlockFilter {
 public:
  static constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 32;  // no hash reaches more

  // Any number, taken to be 1 to kMostBlocks. Throws std::bad_alloc where it does not fit in
  // memory.
  explicit SplitBlockFilter(std::uint64_t blocks, std::pmr::memory_resource* memory = nullptr);

  bool insert(std::uint64_t hash);  // true if certainly new
  bool may_contain(std::uint64_t hash) const;
  // How many hashes were new, and which: 1 for new. Preconditions: spans of equal size.
  std::size_t insert_batch(std::span<const std::uint64_t> hashes, std::span<std::uint8_t> is_new);
  void may_contain_batch(std::span<const std::uint64_t> hashes,
                         std::span<std::uint8_t> answers) const;

  // Each needs filters of equal size: kInvalidArgument otherwise.
  Status merge(const SplitBlockFilter& other);      // keys_inserted becomes the sum
  Status intersect(const SplitBlockFilter& other);  // keys_inserted becomes an estimate
  Result<bool> is_subset_of(const SplitBlockFilter& other) const;
  // The filter of blocks/factor blocks with the same keys; kInvalidArgument unless it divides.
  Result<SplitBlockFilter> fold(std::uint64_t factor) const;
  void reset();

  SplitBlockFilter clone() const;
  friend bool operator==(const SplitBlockFilter& a, const SplitBlockFilter& b);

  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t size_bits() const { return blocks_ * split_block::kBlockBits; }
  std::size_t size_bytes() const { return buffer_.size(); }
  ByteView bytes() const { return buffer_.view(); }
  ByteSpan bytes() { return buffer_.span(); }
  const Provenance& provenance() const { return provenance_; }
  void set_provenance(Provenance provenance) { provenance_ = provenance; }
  // The rate is exact for these bits: the mean over blocks of the product of their words' fills.
  // Above 64 MiB it comes from evenly spaced blocks, and says `sampled`.
  Health health() const;

 private:
  Status same_size(const SplitBlockFilter& other) const;
  void count(std::uint64_t added);
  std::uint64_t blocks_;
  Provenance provenance_;
  Buffer buffer_;
};

}  // namespace bloomery
