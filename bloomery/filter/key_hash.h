// From a key's bytes to its hash in a filter of our own layouts: the profile, and whether keys are
// whole numbers.
#pragma once
#include "bloomery/base/result.h"
#include "bloomery/hash/profile.h"
#include "bloomery/layout/shape.h"

namespace bloomery {

struct KeyHash {
  Hasher hasher = {};
  // The keys are 64-bit integers (the funnel u64), handed to the profile as numbers. `mix` knows no
  // others.
  bool whole_numbers = false;

  // Whether an integer may be handed over as a number in place of its eight little-endian bytes:
  // either the filter always does that, or the profile hashes both alike (not aes).
  bool takes_numbers() const noexcept {
    return whole_numbers ||
           (hasher.profile() != Profile::kAes && hasher.profile() != Profile::kMix);
  }
  Hash128 digest(ByteView key) const noexcept {
    if (!whole_numbers) return hasher(key);
    if (key.size() == sizeof(std::uint64_t)) return hasher(load_le<std::uint64_t>(key.data()));
    return digest_other_length(key);
  }
  // kInvalidArgument where a hash of 64 bits (xxh3-64) is too short: two keys in 2^64 share it, so
  // that no filter can err less than keys / 2^64. That may take 1 % of the goal's rate.
  Status check_goal(Goal goal) const;
  friend bool operator==(const KeyHash&, const KeyHash&) = default;

 private:
  // A key of another length never came through the funnel u64. It must still get an answer that is
  // the same for insert and lookup.
  Hash128 digest_other_length(ByteView key) const noexcept;
};

}  // namespace bloomery
