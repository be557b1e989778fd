// A filter of our own type as BF.RESERVE asked for it: all that fixes its bytes but the keys.
#pragma once
#include <array>
#include <optional>

#include "bloomery/filter/key_hash.h"
#include "bloomery/layout/part.h"

namespace bloomery {

enum class LayerKind : std::uint8_t { kClassic = 1, kBlock = 2, kCounting = 3 };  // as NativeKind

// Keys live at least for the window and at most for one slice longer. A slice is written while its
// span lasts; when keys written at its very end are as old as the window, all of it is forgotten.
struct TimeWindow {
  static constexpr std::int64_t kMostSeconds = INT32_MAX;
  static constexpr std::uint32_t kFewestSlices = 2;
  static constexpr std::uint32_t kMostSlices = 64;
  static constexpr std::uint32_t kUsualSlices = 8;
  static constexpr std::int64_t kLatest = std::int64_t{1} << 52;  // of all times: sums are safe

  std::int64_t milliseconds;
  std::uint32_t slices = kUsualSlices;

  std::int64_t span() const { return (milliseconds + slices - 1) / slices; }
  std::int64_t slice_lives() const { return milliseconds + span(); }
  // Twice what time alone needs: slices that a clock has put into the future wait beside new ones.
  std::size_t most_held() const { return 2 * (std::size_t{slices} + 1); }
  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

// Under this the profile siphash hashes, so that an attacker cannot choose keys that share bits.
using Secret = std::array<std::byte, 16>;

// One part of a block filter that many servers hold together. It takes the keys of its blocks only,
// and hashes them as files do, so that a part that was built elsewhere can be loaded.
struct LayeredPart {
  BlockShape shape;  // of the whole filter: one line per key, without seeds
  Part part;
  Profile profile = Profile::kXxh3;
  std::uint64_t seed = 0;

  // Of the filter that a file for this goal would hold. kInvalidArgument where no block filter of
  // one line per key meets the goal, or it has no such part.
  static Result<LayeredPart> of_goal(Goal goal, Part part);
  // How many of the filter's keys fall here in all but one of a billion filters.
  std::uint64_t most_keys(std::uint64_t keys_of_whole) const;
  friend bool operator==(const LayeredPart&, const LayeredPart&) = default;
};

struct LayeredPlan {
  Goal goal;                // of the whole; with a window, the keys of one window
  std::uint32_t expansion;  // 0 does not grow
  LayerKind layout = LayerKind::kClassic;
  std::optional<TimeWindow> window = {};
  std::optional<Secret> secret = {};
  std::optional<LayeredPart> part = {};  // then the goal is that of the whole filter

  // kInvalidArgument where parts contradict each other: bytes from outside may say anything.
  Status check() const;
  KeyHash hash() const;
  // Of the first layer of a slice. The rates of all slices add up, and so do those of the layers of
  // one, each half the one before: together they stay below the goal.
  Goal first_layer() const;
  friend bool operator==(const LayeredPlan&, const LayeredPlan&) = default;
};

}  // namespace bloomery
