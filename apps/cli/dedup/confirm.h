// Confirmation of suspected repeats: their bytes are compared with those of the first record.
#pragma once
#include <string>
#include <unordered_set>
#include <vector>

#include "apps/cli/dedup/replay.h"

namespace bloomery::cli {

// Records at places of a replay, fetched a window at a time.
class RecordWindow {
 public:
  // Precondition: the replay outlives the window.
  RecordWindow(const Replay& replay, const RecordEnds& ends) : replay_{&replay}, ends_{ends} {}
  // At least this much is read at a time, in whole blocks.
  void read_ahead(std::size_t bytes) { read_ahead_ = bytes; }
  // The record that begins at this place; valid until the next call.
  Result<ByteView> record_at(std::uint64_t place);

 private:
  std::optional<ByteView> record_inside(std::uint64_t place) const;
  std::optional<std::size_t> end_of_record(ByteView rest) const;

  const Replay* replay_;
  RecordEnds ends_;
  std::size_t read_ahead_ = ChunkReader::kChunkBytes;
  std::vector<std::byte> bytes_;
  std::size_t size_ = 0;
  std::uint64_t place_ = 0;
  bool whole_ = false;  // the window reaches to the end of its file
};

// The columns of the CSV file that holds a place; null for records that are no rows.
using ColumnsAt = std::function<std::shared_ptr<const CsvColumns>(std::uint64_t place)>;

// Suspects are collected and compared in the order of the places where their firsts lie: then the
// input is swept, not sought, and a few sweeps do. Memory is that of one collection.
class Confirmation {
 public:
  Confirmation(const Replay& replay, ChunkSequence::Keys keys, std::size_t budget_bytes,
               ColumnsAt columns_at = {})
      : window_{replay, keys.options.ends()},
        key_reader_{std::move(keys.options), keys.order},
        columns_at_{std::move(columns_at)},
        budget_bytes_{budget_bytes} {
    // Address space, not memory: what is not touched costs nothing, and nothing is moved later.
    pending_.reserve(budget_bytes / sizeof(Pending));
    keys_.reserve(budget_bytes);
  }

  struct Suspect {
    std::uint64_t first_place;  // of the record with the same fingerprint
    std::uint64_t index;        // of the suspected record
  };
  Status add(Suspect suspect, ByteView key);
  Status finish() { return compare_all(); }

  // The records that are no repeats after all, though their fingerprints are: ascending once
  // finished.
  const std::vector<std::uint64_t>& cleared() const { return cleared_; }

 private:
  struct Pending {
    Suspect suspect;
    std::size_t key_begin;
    std::size_t key_size;
  };
  Status compare_all();
  Result<bool> repeats_its_first(const Pending& pending);
  void judge_unconfirmed(std::vector<const Pending*>& unconfirmed);
  std::string_view key_of(const Pending& pending) const;

  RecordWindow window_;
  KeyReader key_reader_;
  ColumnsAt columns_at_;
  std::size_t budget_bytes_;
  std::vector<Pending> pending_;
  std::vector<std::byte> keys_;
  // Keys that share a fingerprint with another key that came before.
  std::unordered_set<std::string> cleared_keys_;
  std::vector<std::uint64_t> cleared_;
};

}  // namespace bloomery::cli
