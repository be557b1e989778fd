// One layer of a filter of our own type: one of the library's filters, and what it was made for.
#pragma once
#include <memory_resource>
#include <span>
#include <variant>

#include "bloomery/filter/block/block.h"
#include "bloomery/filter/block/part.h"
#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/filter/classic/counting.h"
#include "bloomery/formats/layered/plan.h"
#include "bloomery/formats/native/header.h"

namespace bloomery {

using ByteKeys = std::span<const ByteView>;

class FilterLayer {
 public:
  // kTooLarge beyond max_bytes. Throws std::bad_alloc.
  static Result<FilterLayer> make(LayerKind layout, Goal goal, const KeyHash& hash,
                                  std::uint64_t max_bytes, std::pmr::memory_resource* memory);
  // The only layer of a part. Precondition: plan.check().
  static Result<FilterLayer> make_part(const LayeredPlan& plan, std::uint64_t max_bytes,
                                       std::pmr::memory_resource* memory);
  static Result<std::uint64_t> bytes_for(LayerKind layout, Goal goal, const KeyHash& hash);
  // Its bytes, still zero, are for the caller to fill. Refuses what no layer of this plan is.
  static Result<FilterLayer> from_header(const NativeHeader& header, const LayeredPlan& plan,
                                         std::pmr::memory_resource* memory);

  // Our file's header of it; reads all its bytes for their checksum.
  NativeHeader header() const;

  // Batches act as if key by key. Precondition: one answer for each key.
  void insert_batch(ByteKeys keys, std::span<std::uint8_t> is_new);
  void may_contain_batch(ByteKeys keys, std::span<std::uint8_t> answers) const;
  bool insert(ByteView key);  // true if certainly new
  bool may_contain(ByteView key) const;
  bool remove(ByteView key);  // precondition: it counts; false if the key was certainly absent

  Status merge(const FilterLayer& other);
  Result<bool> is_subset_of(const FilterLayer& other) const;  // never, where layers count
  FilterLayer clone() const;
  bool same_bytes(const FilterLayer& other) const;

  bool counts() const;
  Goal goal() const { return goal_; }
  Shape shape() const;
  ByteView bytes() const;
  ByteSpan bytes();
  std::uint64_t keys_inserted() const;  // where layers count: what is in now, repeats included
  // How many of its keys took room. It differs from keys_inserted() where layers count, for a
  // repeated key takes none.
  std::uint64_t room_taken() const { return counts() ? room_taken_ : keys_inserted(); }
  void set_room_taken(std::uint64_t keys) { room_taken_ = keys; }
  std::uint64_t room() const { return room_taken() >= most_keys_ ? 0 : most_keys_ - room_taken(); }
  Health health() const;

 private:
  using Classic = ClassicFilter<BloomeryClassic>;
  using Counting = CountingFilter<BloomeryClassic, 4>;
  using Filter = std::variant<Classic, BlockFilter, Counting, BlockPart>;

  FilterLayer(Filter filter, Goal goal)
      : filter_{std::move(filter)}, goal_{goal}, most_keys_{goal.keys} {}
  static Result<FilterLayer> part_from_header(const NativeHeader& header, const LayeredPlan& plan,
                                              std::pmr::memory_resource* memory);

  Filter filter_;
  Goal goal_;                // of a part: that of the whole filter
  std::uint64_t most_keys_;  // that take room
  std::uint64_t room_taken_ = 0;
};

}  // namespace bloomery
