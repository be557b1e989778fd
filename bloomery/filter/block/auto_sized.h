// A builder of a block filter, with several lines per key for low rates, for an unknown number of
// keys. It keeps the hashes of the first keys: if no more come, the filter is sized for exactly
// that many. Otherwise all keys go into a filter as large as the memory allows, which is folded at
// the end.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/filter/block/block.h"

namespace bloomery {

class AutoSizedBlock {
 public:
  // kInvalidArgument for a rate or probes that no block filter has; kTooLarge where not even one
  // block fits into the memory.
  static Result<AutoSizedBlock> create(const KeyHash& hash, double rate,
                                       std::optional<std::uint32_t> probes,
                                       std::uint64_t memory_bytes);

  void add(std::span<const ByteView> keys);
  // The smallest filter that keeps the rate, or the largest one where none does: its health shows
  // that. Its goal is the rate and the keys that it has room for. Nothing is added afterwards.
  Result<BlockFilter> finish();

  // Never more than this for the first hashes, however large the memory is.
  static constexpr std::uint64_t kMostKeptBytes = std::uint64_t{256} << 20;
  std::size_t most_kept() const { return most_kept_; }
  BlockShape largest() const { return largest_; }

 private:
  AutoSizedBlock(const KeyHash& hash, double rate, std::optional<std::uint32_t> probes,
                 BlockShape largest, std::size_t most_kept)
      : hash_{hash}, rate_{rate}, probes_{probes}, largest_{largest}, most_kept_{most_kept} {}
  void keep(ByteView key);
  void remove_duplicates();
  void stop_keeping();
  Result<BlockFilter> exactly_sized();
  BlockFilter folded();

  KeyHash hash_;
  double rate_;
  std::optional<std::uint32_t> probes_;
  BlockShape largest_;
  std::size_t most_kept_;
  std::vector<Hash128> kept_;
  std::optional<BlockFilter> filter_;  // once there are too many to keep
};

}  // namespace bloomery
