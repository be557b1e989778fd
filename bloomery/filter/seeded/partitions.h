// The hashes of many keys, kept apart by ranges of blocks, in memory up to a limit and beyond it in
// a temporary file. A range is small enough that its hashes are then worked on inside a near cache.
#pragma once
#include <optional>
#include <vector>

#include "bloomery/base/buffer.h"
#include "bloomery/filter/seeded/spill.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/layout/part.h"

namespace bloomery::internal {

// The hashes of one partition, in pieces: views into it, and what had to be read back.
struct SeededPartition {
  std::vector<std::span<const Hash128>> pieces;
  std::vector<Hash128> read_back;
};

class SeededPartitions {
 public:
  // Less than a kibibyte per partition is taken as that.
  SeededPartitions(std::uint64_t blocks, std::uint64_t memory_bytes, std::string spill_directory)
      : SeededPartitions{blocks, {0, blocks}, memory_bytes, std::move(spill_directory)} {}
  // Of some blocks of a filter only. Precondition of add(): all hashes fall into the range.
  SeededPartitions(std::uint64_t blocks, PartRange range, std::uint64_t memory_bytes,
                   std::string spill_directory);

  // After an error hashes are missing: the whole is good for nothing.
  Status add(std::span<const Hash128> hashes);

  std::size_t count() const { return tails_.size(); }
  std::uint64_t first_block(std::size_t partition) const {
    return range_.first + (std::uint64_t{partition} << shift_);
  }
  std::uint64_t end_block(std::size_t partition) const;
  // Every different hash of a partition at least once, until the next add. Any number of threads
  // may read at once.
  Status read(std::size_t number, SeededPartition& partition) const;

 private:
  // What a partition holds in memory: full chunks, and the last one up to `at`.
  struct Tail {
    Hash128* at = nullptr;
    Hash128* end = nullptr;
    std::vector<Hash128*> chunks = {};
  };
  // What one filling of the memory became in the file: the partitions one after the other.
  struct Run {
    std::vector<std::uint64_t> offsets;  // one more than partitions
  };
  Status start_chunk(Tail& tail);
  Status spill();
  Status read_back(std::size_t number, std::vector<Hash128>& hashes) const;
  std::span<const Hash128> chunk(const Tail& tail, std::size_t number) const;

  std::size_t partition_of(const Hash128& hash) const {
    return static_cast<std::size_t>((block::block_of(hash.low, blocks_) - range_.first) >> shift_);
  }

  std::uint64_t blocks_;
  PartRange range_;
  std::uint32_t shift_ = 0;  // a partition is 2^shift_ blocks
  std::size_t chunk_hashes_;
  std::size_t slab_chunks_;
  std::size_t most_chunks_;
  std::size_t used_chunks_ = 0;
  std::vector<Tail> tails_;
  std::vector<Buffer> slabs_;
  std::string spill_directory_;
  std::optional<SpillFile> file_;
  std::vector<Run> runs_;
};

// Sorts and leaves each hash once.
void remove_duplicates(std::vector<Hash128>& hashes);

}  // namespace bloomery::internal
