// The state of an unfinished dedup, written while it runs: a later run with the same options goes
// on from it and prints the same records as a run without interruption.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/records/chunk_sequence.h"

namespace bloomery::cli {

// --checkpoint: every so many records, or bytes of the input after decompression.
struct CheckpointInterval {
  std::uint64_t records = 0;  // 0: by bytes
  std::uint64_t bytes = 0;
};
// "500k", "1m" and "1M" are records; "64MB" and "1GiB" are bytes.
Result<CheckpointInterval> parse_interval(const std::string& text);

// What tells an input file from another one, and from the same one after a change.
struct InputIdentity {
  std::string path;
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  // nanoseconds
  std::uint64_t start = 0;    // hash of the first bytes
  std::uint64_t end = 0;      // and of the last

  bool operator==(const InputIdentity&) const = default;
};
// Regular files only; stdin and pipes cannot be read again.
Result<std::vector<InputIdentity>> identify(const std::vector<InputFile>& inputs);

// Where a run begins, and what earlier runs did before it.
struct StartTotals {
  InputPosition position = {};
  std::uint64_t records = 0;
  std::uint64_t kept = 0;
  std::uint64_t skipped = 0;
  double expected_wrong = 0;
  double seconds = 0;
};

struct CheckpointState : StartTotals {
  std::string options;  // those that decide about the records
  std::vector<InputIdentity> inputs;
  std::uint64_t output_bytes = 0;
  std::uint64_t dupes_bytes = 0;
  bool had_saved = false;         // there was a file of --save at the start
  std::uint64_t saved_hash = 0;   // of its bytes
  bool finished = false;          // all records are printed; what is left is to save and to rename
  std::string format;             // of the filter
  std::vector<std::byte> filter;  // encoded
};

std::vector<std::byte> encode_checkpoint(const CheckpointState& state);
// Checks every length and a checksum over all bytes.
Result<CheckpointState> decode_checkpoint(ByteView bytes);

std::string checkpoint_of(const std::string& output);  // OUT.checkpoint
// Nothing where there is no checkpoint.
Result<std::optional<CheckpointState>> load_checkpoint(const std::string& path,
                                                       std::uint64_t max_bytes);
// Replaces the file in one step and forces it to the disk.
Status save_checkpoint(const std::string& path, const CheckpointState& state);
// Of a run that is complete.
Status remove_checkpoint(const std::string& path);
// For a run without --checkpoint, which would overwrite what the unfinished one left.
Status check_no_checkpoint(const std::string& path);

// An error that says what differs from the run that wrote the checkpoint.
Status check_same_run(const std::string& path, const CheckpointState& state,
                      const std::string& options, const std::vector<InputIdentity>& inputs);

struct BegunRun {
  CheckpointState state;  // of an earlier run, or of a new one with its options and inputs
  bool is_resumed = false;
};
// An error where there is an unfinished run that had other options or inputs.
Result<BegunRun> begin_or_resume(const std::string& path, const std::string& options,
                                 const std::vector<InputFile>& inputs, std::uint64_t max_bytes);

// The same for the file of --save. A finished run may have saved it already.
struct SavedHash {
  bool exists = false;
  std::uint64_t hash = 0;
};
Result<SavedHash> hash_of_saved(const std::string& path);
Status check_saved(const std::string& checkpoint, const CheckpointState& state,
                   const std::string& path, SavedHash now);

}  // namespace bloomery::cli
