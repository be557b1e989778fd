// How far a search that goes on with the chain has come: what its checkpoint holds.
#pragma once
#include <filesystem>

#include "apps/ethlog/model/log_record.h"

namespace bloomery::ethlog {

struct TailBlock {
  std::uint64_t number = 0;
  Hash hash = {};
  friend bool operator==(const TailBlock&, const TailBlock&) = default;
};

struct TailState {
  std::string search;  // what is searched for, in words; another one is refused
  std::uint64_t chain_id = 0;
  std::uint64_t first = 0;  // block of the search
  // Blocks whose logs are written, ascending, each on the chain of the next; the last one is how
  // far the search has come, and the first how far back a reorganisation may reach.
  std::vector<TailBlock> done;
  bool whole = true;  // `done` reaches back to the first block: none was dropped
  // The logs that were written of blocks behind the first of `done`: they can be taken back.
  std::vector<LogRecord> recent;
  std::uint64_t logs = 0;  // written
  // Of an output file: its size, and the hash of its last bytes (kTailBytes, or all).
  std::optional<std::uint64_t> output_bytes;
  Hash output_tail = {};
  friend bool operator==(const TailState&, const TailState&) = default;
};

inline constexpr std::size_t kTailBytes = 64 << 10;

// Two lines: an object, and the Keccak hash of the line before.
std::string encode_tail_state(const TailState& state);
// kMalformed where it is not what encode_tail_state wrote.
Result<TailState> decode_tail_state(std::string_view text);

// The file of a state, replaced in one step. One process at a time: where another one replaced it
// meanwhile, save() is an error.
class Checkpoint {
 public:
  explicit Checkpoint(std::filesystem::path path) : path_{std::move(path)} {}
  // Nothing where there is no such file. Errors name it.
  Result<std::optional<TailState>> load();
  Status save(const TailState& state);
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::string last_line_;  // of the file as it was loaded or saved; empty: there was none
};

}  // namespace bloomery::ethlog
