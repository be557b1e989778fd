// The engine behind the front door: a block filter, or a classic one where a cache line per key
// would take too many bits (rates below about 3e-4).
#pragma once
#include <variant>

#include "bloomery/filter/block/block.h"
#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/filter/classic/classic.h"

namespace bloomery {

// Many readers or one writer, as std::vector.
class Engine {
 public:
  using Classic = ClassicFilter<BloomeryClassic>;

  // kInvalidArgument for a goal that no filter can meet.
  static Result<Engine> for_goal(Goal goal, const KeyHash& hash = {});
  // For clamped(goal), so that it cannot fail; throws std::bad_alloc where no machine holds it.
  static Engine for_any_goal(Goal goal, const KeyHash& hash = {});
  explicit Engine(BlockFilter filter) : filter_{std::move(filter)} {}
  explicit Engine(Classic filter) : filter_{std::move(filter)} {}

  // Key is a ByteView, or a std::uint64_t where the keys are whole numbers.
  template <class Key>
  bool insert(Key key) {  // true if certainly new
    if (BlockFilter* block = as_block()) return block->insert(key);
    return as_classic()->insert(bytes_of_key(key));
  }
  template <class Key>
  bool may_contain(Key key) const {
    if (const BlockFilter* block = as_block()) return block->may_contain(key);
    return as_classic()->may_contain(bytes_of_key(key));
  }
  // How many were new, or may be contained. Precondition of the last: one answer per key.
  std::size_t insert_batch(std::span<const ByteView> keys);
  std::size_t insert_batch(std::span<const std::uint64_t> keys);
  std::size_t may_contain_batch(std::span<const ByteView> keys,
                                std::span<std::uint8_t> answers) const;
  std::size_t may_contain_batch(std::span<const std::uint64_t> keys,
                                std::span<std::uint8_t> answers) const;

  void reset();
  // kInvalidArgument unless both have the same layout, shape and hash.
  Status merge(const Engine& other);
  Status intersect(const Engine& other);
  Engine clone() const;
  friend bool operator==(const Engine& a, const Engine& b) = default;

  Health health() const;
  Provenance provenance() const;
  Shape shape() const;
  std::size_t size_bytes() const;
  BlockFilter* as_block() { return std::get_if<BlockFilter>(&filter_); }
  const BlockFilter* as_block() const { return std::get_if<BlockFilter>(&filter_); }
  Classic* as_classic() { return std::get_if<Classic>(&filter_); }
  const Classic* as_classic() const { return std::get_if<Classic>(&filter_); }

 private:
  static ByteView bytes_of_key(ByteView key) { return key; }
  // On a little-endian machine a number is its own little-endian bytes.
  static ByteView bytes_of_key(const std::uint64_t& key) {
    return std::as_bytes(std::span{&key, 1});
  }

  std::variant<BlockFilter, Classic> filter_;
};

}  // namespace bloomery
