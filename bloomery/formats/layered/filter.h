// A filter of our own type: slices of time, each a stack of layers. Without a window there is one
// slice, and time does not matter. Knows nothing of the server.
//
// A filter that counts finds the layer of a key from the oldest on. Only the newest takes keys that
// none may contain, so an older layer never comes to answer "maybe" to a key of a younger one: all
// copies of a key lie in the layer that is found first, and removing takes from no other.
#pragma once
#include <vector>

#include "bloomery/base/limits.h"
#include "bloomery/formats/layered/insert_result.h"
#include "bloomery/formats/layered/layer.h"

namespace bloomery {

struct TimeSlice {
  std::int64_t start = 0;  // milliseconds since 1970; 0 without a window
  std::vector<FilterLayer> layers;
};

struct LayeredInsert {
  InsertResult answer = InsertResult::kFailed;
  bool changed = false;  // the filter has other bytes: a known key may be counted, or made younger
};

class LayeredFilter {
 public:
  static constexpr std::size_t kMostLayers = 1024;  // a lookup asks them all

  // `now` and all times below: milliseconds since 1970. Throws std::bad_alloc.
  static Result<LayeredFilter> make(const LayeredPlan& plan, std::int64_t now, DecodeLimits limits,
                                    std::pmr::memory_resource* memory);
  // Precondition: plan.check(), a layer of the plan in every slice, slices in the order of time.
  LayeredFilter(const LayeredPlan& plan, std::vector<TimeSlice> slices,
                std::pmr::memory_resource* memory);

  // What each key met; a full filter leaves fewer answers than keys. Allocates before it changes
  // anything, but for growth, whose failure is an answer.
  std::vector<LayeredInsert> insert(ByteKeys keys, std::int64_t now);
  // Whether insert_within_room() may be called: no window, no counting, and room for one key.
  bool takes_one_key() const {
    return !plan_.window && plan_.layout != LayerKind::kCounting && has_room();
  }
  // One key as insert() would: true if certainly new. Allocates nothing and cannot fail.
  // Precondition: takes_one_key().
  bool insert_within_room(ByteView key);
  bool may_contain(ByteView key, std::int64_t now) const;
  // The part that a key of these belongs to, where this filter is another one: it can neither take
  // the key nor answer for it.
  std::optional<Part> elsewhere(ByteKeys keys) const;
  void may_contain_batch(ByteKeys keys, std::int64_t now, std::span<std::uint8_t> answers) const;
  // One copy. False if the key was certainly absent. Precondition: it counts.
  bool remove(ByteView key);

  // The time to rotate() to, where that is due; else nothing.
  std::optional<std::int64_t> rotation_due(std::int64_t now) const;
  // Later than the newest slice: begins a new one, and forgets those whose time is over. Earlier by
  // more than a slice lives: the clock was wrong, and slices from the future become as young as the
  // time given. False, where neither is so. Without a window: false.
  Result<bool> rotate(std::int64_t time);
  // Where a client asks for a rotation at `time`: the time to rotate() to, or nothing. A time in
  // the past is not gone back to, and one in the future ends no slice that answers `now`.
  std::optional<std::int64_t> requested_rotation(std::int64_t time, std::int64_t now) const;
  // Moves all slices by the same time, so that the newest begins at the one given: the wall clock
  // has stepped, and keys live neither shorter nor longer for it.
  void shift_to(std::int64_t newest_start);
  // This filter's time is a steady clock plus this many milliseconds (native_clock.h). Not saved.
  std::int64_t clock_ahead() const { return clock_ahead_; }
  void set_clock_ahead(std::int64_t milliseconds) { clock_ahead_ = milliseconds; }

  // The first and all others, merged slice by slice. One whose slice is there already is not
  // counted again, unless they count their keys.
  static Result<LayeredFilter> union_of(const LayeredFilter& first,
                                        std::span<const LayeredFilter* const> others);
  Result<LayeredFilter> emptied() const;  // as it was made, in the time of the newest slice
  LayeredFilter clone() const;
  bool same_bytes(const LayeredFilter& other) const;

  const LayeredPlan& plan() const { return plan_; }
  std::span<const TimeSlice> slices() const { return slices_; }
  bool live(const TimeSlice& slice, std::int64_t now) const {
    return !plan_.window || slice.start + plan_.window->slice_lives() > now;
  }
  bool has_room() const { return slices_.back().layers.back().room() > 0; }
  bool full(DecodeLimits limits) const;  // refuses every new key, with these limits
  std::size_t layers() const;
  std::uint64_t size_bytes() const;  // of bit arrays
  void set_limits(DecodeLimits limits) { limits_ = limits; }

  // Visits the layers of slices that live, oldest first: of all, without a time.
  template <class Visit>
  void for_each_layer(std::optional<std::int64_t> now, Visit visit) const {
    for (const TimeSlice& slice : slices_)
      if (!now || live(slice, *now))
        for (const FilterLayer& layer : slice.layers) visit(slice, layer);
  }
  // The chance that any layer has a false positive; the fill over all bits.
  Health health(std::int64_t now) const;

 private:
  std::vector<FilterLayer>& newest() { return slices_.back().layers; }
  Result<Goal> next_goal() const;
  Result<FilterLayer> next_layer() const;
  bool grow() noexcept;  // false: memory, a limit or the number of layers forbids it
  void insert_bits(ByteKeys keys, std::int64_t now, std::vector<LayeredInsert>& answers);
  void insert_counting(ByteKeys keys, std::vector<LayeredInsert>& answers);
  FilterLayer* home_of(ByteView key);
  Status may_join(const LayeredFilter& other) const;
  TimeSlice& slice_for(std::int64_t start);

  LayeredPlan plan_;
  std::vector<TimeSlice> slices_;  // oldest first, never none
  DecodeLimits limits_;
  std::pmr::memory_resource* memory_;
  std::int64_t clock_ahead_ = 0;
};

}  // namespace bloomery
