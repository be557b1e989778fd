// The changes of one cycle: a stack of block filters that starts small and grows, so that it never
// saturates, beside what keys cannot express: "everything", and "everything below".
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/filter/block/block.h"

namespace bloomery::tracker {

// What a cycle is made for. The rate is the chance that an unchanged folder is reported to have
// changed in it, however many keys there are.
struct CycleGoal {
  double rate = 0.01;
  std::uint64_t first_keys = 4096;  // of the first layer; each one after it has twice as many
  friend bool operator==(const CycleGoal&, const CycleGoal&) = default;
};
inline constexpr double kLowestRate = 1e-4;  // below, a cache line per key costs too much
inline constexpr double kHighestRate = 0.25;
inline constexpr std::uint64_t kFewestFirstKeys = 64;
inline constexpr std::uint64_t kMostFirstKeys = std::uint64_t{1} << 24;
inline constexpr std::size_t kMaxCycleLayers = 4096;  // many servers' filters in one
inline constexpr std::size_t kMaxBelow = 1024;        // more subtrees than this become "everything"
inline constexpr std::size_t kLongestReason = 1024;
// Room for some hundred million keys; a cycle that would need more becomes "everything".
inline constexpr std::uint64_t kMaxCycleBytes = std::uint64_t{256} << 20;
Result<CycleGoal> checked(CycleGoal goal);

// Many readers or one writer, as std::vector.
class CycleFilter {
 public:
  // Precondition: checked(goal).
  explicit CycleFilter(CycleGoal goal = {});
  // For decoders. Precondition: checked(goal), at most kMaxCycleLayers layers that have a goal and
  // count their keys, at most kMaxBelow clean paths; with a reason, neither.
  CycleFilter(CycleGoal goal, std::vector<BlockFilter> layers, std::vector<std::string> below,
              std::string reason);
  CycleFilter(CycleFilter&&) noexcept = default;
  CycleFilter& operator=(CycleFilter&&) noexcept = default;
  CycleFilter clone() const;

  // Keys are path_digest()s. insert says whether the key was certainly absent.
  bool insert(Hash128 key);
  void insert_batch(std::span<const Hash128> keys);
  bool may_contain(Hash128 key) const;

  // From now on every path may have changed, so that keys are of no more use and their memory is
  // given back. The first reason is kept: it is the oldest.
  void flag_everything(std::string_view reason);
  // Everything below this clean path may have changed; it and the folders above it did.
  void flag_below(std::string_view folder);
  bool everything() const { return !reason_.empty(); }
  const std::string& reason() const { return reason_; }  // empty unless everything()
  const std::vector<std::string>& below() const { return below_; }

  // The one question: of a clean path, whether it or anything below it may have changed.
  bool may_have_changed(std::string_view clean) const;
  bool may_have_changed(std::string_view clean, Hash128 digest) const;

  // What either knows. Layers of one shape are merged while that keeps their rate; others are
  // queried one after the other, so the rates add up. More than kMaxCycleLayers or kMaxCycleBytes
  // become "everything".
  void merge(const CycleFilter& other);

  const CycleGoal& goal() const { return goal_; }
  std::span<const BlockFilter> layers() const { return layers_; }
  bool empty() const;              // nothing was inserted and nothing flagged
  std::uint64_t keys() const;      // inserts that set a bit
  std::size_t size_bytes() const;  // memory of the layers
  Health health() const;           // of the stack, against goal().rate

 private:
  bool grow();  // false if it became "everything" instead
  void insert_group(std::span<const Hash128> keys);

  CycleGoal goal_;
  std::vector<BlockFilter> layers_;  // the newest is the last; all but it are full
  std::string reason_;
  std::vector<std::string> below_;
};

}  // namespace bloomery::tracker
