// Builds a seeded block filter from all its keys at once: for every block it tries several window
// sets and keeps the one that leaves the block emptiest, so that the same bits have fewer false
// positives. To choose among hash functions by how full they leave a filter is the idea of Lumetta
// and Mitzenmacher (2007) and of Hao, Kodialam and Lakshman (2007).
#pragma once
#include "bloomery/filter/block/block.h"
#include "bloomery/filter/block/part.h"
#include "bloomery/filter/seeded/partitions.h"

namespace bloomery {

struct SeededOptions {
  // For the hashes of keys, 16 bytes each; what is more goes to a temporary file. A small part of
  // the filter's own size is used even where less is said.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::string spill_directory = {};                // empty: the system's temporary folder
  std::uint32_t threads = 1;                       // of finish()
  std::uint32_t window_sets = block::kWindowSets;  // tried per block: 8, 16 or 32
};

// The filter depends on the set of keys alone: not on their order, on duplicates, threads, memory
// or CPU. One thread adds.
class SeededBuilder {
 public:
  // kInvalidArgument for a shape that is not seeded or cannot be, no threads, or another number of
  // window sets.
  static Result<SeededBuilder> create(BlockShape shape, const KeyHash& hash,
                                      SeededOptions options = {});
  // Of one part of such a filter: keys of other parts are passed over. kInvalidArgument also for a
  // part that does not exist.
  static Result<SeededBuilder> create_part(BlockShape shape, Part part, const KeyHash& hash,
                                           SeededOptions options = {});

  // kIo when the temporary file fails: keys are then missing, so every later call says so again.
  Status add(std::span<const ByteView> keys);
  Status add(std::span<const std::uint64_t> keys);  // precondition: hash.whole_numbers
  Status add(std::span<const Hash128> hashes);

  // The filter, or the error that kept a key from it. Its provenance counts the different hashes;
  // the goal is for the caller to set. The builder is then empty, for the keys of another filter.
  Result<BlockFilter> finish();     // precondition: made by create()
  Result<BlockPart> finish_part();  // precondition: made by create_part()

 private:
  SeededBuilder(BlockShape shape, Part part, const KeyHash& hash, SeededOptions options);
  Result<std::uint64_t> build_into(ByteSpan memory);  // returns the number of keys
  Status add_own(std::span<const Hash128> hashes);
  template <class Key, class HashPiece>
  Status add_hashed(std::span<const Key> keys, HashPiece hash_piece);

  BlockShape shape_;
  Part part_;
  PartRange range_;
  KeyHash hash_;
  SeededOptions options_;
  internal::SeededPartitions hashes_;
  std::optional<Error> failed_;
};

}  // namespace bloomery
