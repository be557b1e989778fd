// Insertion of chunks by several threads with the result of one thread. A filter whose keys touch
// one block each is divided into ranges of blocks. Every range takes its keys in input order, and
// different ranges take keys of different chunks at the same time, without atomics or locks. Runs
// that read their input more than once share their first reading here.
#pragma once
#include <mutex>

#include "apps/cli/dedup/replay.h"
#include "apps/cli/dedup/seen_keys.h"
#include "apps/cli/records/stages.h"

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

using Fingerprint = std::uint64_t (*)(ByteView key);
std::uint64_t fingerprint_of(ByteView key);

// A run that reads its input more than once: --exact, --keep last and --count-each.
struct ReplayJob {
  const Replay* replay = nullptr;
  ChunkSequence::Keys keys;
  SeenKeys* seen = nullptr;
  bool keep_filter = false;  // otherwise its memory is freed as soon as it is not needed
  ChunkStep arrange = {};    // of a chunk's output, by many threads; may be empty
  ChunkStep print = {};      // may be empty
  Fingerprint fingerprint = fingerprint_of;  // a test takes one that often agrees
};

struct ReplayTotals {
  std::uint64_t records = 0;
  std::uint64_t kept = 0;
  std::uint64_t skipped = 0;                         // of the kept: they have no key
  std::uint64_t malformed = 0;                       // rows of CSV
  std::uint64_t left_out = 0;                        // malformed rows that are not printed
  std::shared_ptr<const CsvPreamble> preamble = {};  // of CSV; null where no file has a row
  Description filter;                                // once all keys are in it
};

// The first reading: inserts all keys, and hands every chunk with its is_new to `note`, in input
// order. `records` counts the rows that are left out too, as Chunk::index_of does.
Status insert_replay(const ReplayJob& job, const ChunkStep& note, const Globals& globals,
                     ReplayTotals& totals);
// For later readings: the first one warned of headers that differ.
ChunkSequence::Keys keys_again(const ReplayJob& job);
// The stages of a later reading up to chunk.fingerprints.
Stages fingerprint_stages(ChunkSequence& input, Fingerprint fingerprint);

}  // namespace bloomery::cli
