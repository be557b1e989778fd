// Insertion of chunks by several threads with the result of one thread. A filter whose keys touch
// one block each is divided into ranges of blocks. Every range takes its keys in input order, and
// different ranges take keys of different chunks at the same time, without atomics or locks.
#pragma once
#include <mutex>

#include "apps/cli/dedup/input.h"
#include "apps/cli/dedup/seen_keys.h"
#include "apps/cli/dedup/stages.h"

namespace bloomery::cli {

class KeyRanges {
 public:
  // Precondition: the seen keys outlive it and do not move.
  KeyRanges(SeenKeys& seen, std::uint32_t threads);

  // Queries the filters of --against, hashes the other keys and fetches their blocks. Any thread.
  Status prepare(Chunk& chunk);
  // One for each range; together they answer chunk.is_new.
  std::vector<ChunkStep> steps();
  // How many keys the filter took; counted in its provenance too. Once, after the last chunk.
  void finish();

  std::size_t ranges() const { return added_.size(); }
  SeenKeys& seen() const { return *seen_; }

 private:
  struct alignas(64) Count {
    std::uint64_t keys = 0;
  };
  Status select(Chunk& chunk);  // the keys that no other filter knows
  Status query(const QueryableFilter& filter, Chunk& chunk);
  void digest(Chunk& chunk) const;
  void hash_keys(Chunk& chunk, std::span<Hash128> digests) const;
  void group(Chunk::Inserts& inserts) const;
  Status insert(Chunk& chunk, std::size_t range);
  Status insert_unranged(Chunk& chunk);

  SeenKeys* seen_;
  BlockFilter* blocks_ = nullptr;  // null: no ranges, the filter takes chunk after chunk
  std::uint32_t range_shift_ = 0;  // from the number of a block to its range
  std::vector<Count> added_;       // of each range
  std::mutex one_connection_;      // a filter in a server answers one thread at a time
};

// The stages up to chunk.is_new: the next records of the input, their keys, and whether they are
// new. One thread inserts whole chunks; more divide the work by `ranges`.
Stages insertion_stages(ChunkSequence& input, KeyRanges& ranges, std::uint32_t threads);

}  // namespace bloomery::cli
