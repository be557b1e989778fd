// The filter behind Filter<T>: a block filter, or any other layout of this library. New filters are
// block, with two to four cache lines per key where one would take too many bits (rates below about
// 3e-4); classic ones above a rate of 0.26 and below 1e-12; counting and scalable ones come from
// files.
#pragma once
#include <utility>

#include "bloomery/filter/block/block.h"
#include "bloomery/filter/classic/bloomery_classic.h"

namespace bloomery {

template <Dialect D>
class ClassicFilter;
template <Dialect D, unsigned kCounterBits>
class CountingFilter;
template <Dialect D>
class ScalableFilter;

// Many readers or one writer, as std::vector.
class Engine {
 public:
  using Classic = ClassicFilter<BloomeryClassic>;
  template <unsigned kCounterBits>  // 2, 4 or 8
  using Counting = CountingFilter<BloomeryClassic, kCounterBits>;
  using Scalable = ScalableFilter<BloomeryClassic>;

  // kInvalidArgument for a goal that no filter can meet.
  static Result<Engine> for_goal(Goal goal, const KeyHash& hash = {});
  // For clamped(goal), so that it cannot fail; throws std::bad_alloc where no machine holds it.
  // Precondition: the hash has 128 bits.
  static Engine for_any_goal(Goal goal, const KeyHash& hash = {});
  explicit Engine(BlockFilter filter) : block_{std::move(filter)} {}
  explicit Engine(Classic filter);
  explicit Engine(Counting<2> filter);
  explicit Engine(Counting<4> filter);
  explicit Engine(Counting<8> filter);
  explicit Engine(Scalable filter);
  Engine(Engine&& from) noexcept
      : block_{std::move(from.block_)}, other_{std::exchange(from.other_, nullptr)} {}
  Engine& operator=(Engine&& from) noexcept {
    block_ = std::move(from.block_);
    std::swap(other_, from.other_);
    return *this;
  }
  ~Engine();

  // Key is a ByteView, or a std::uint64_t where the keys are whole numbers. A scalable filter that
  // cannot grow any more takes keys beyond its goal.
  template <class Key>
  bool insert(Key key) {  // true if certainly new
    if (is_block<Key>()) return block_.insert(key);
    return insert_other(key);
  }
  template <class Key>
  void add(Key key) {  // the same without an answer
    if (block_.template is_adding<Key>())
      block_.add(key);
    else if (!block_.add_lines(key))
      add_apart(key);
  }
  template <class Key>
  bool may_contain(Key key) const {
    if (is_block<Key>()) return block_.may_contain(key);
    return other_may_contain(key);
  }
  // False, and nothing changed, if the key was certainly absent. kUnsupported unless the filter is
  // a counting one.
  Result<bool> remove(ByteView key);
  // How many were new, or may be contained. Precondition of the last: one answer per key.
  std::size_t insert_batch(std::span<const ByteView> keys);
  std::size_t insert_batch(std::span<const std::uint64_t> keys);
  void add_batch(std::span<const ByteView> keys);
  void add_batch(std::span<const std::uint64_t> keys);
  std::size_t may_contain_batch(std::span<const ByteView> keys,
                                std::span<std::uint8_t> answers) const;
  std::size_t may_contain_batch(std::span<const std::uint64_t> keys,
                                std::span<std::uint8_t> answers) const;

  void reset();
  // kInvalidArgument unless both have the same layout, shape and hash.
  Status merge(const Engine& other);
  // The same; kUnsupported for counting and scalable filters.
  Status intersect(const Engine& other);
  Engine clone() const;
  friend bool operator==(const Engine& a, const Engine& b);

  Health health() const;
  Provenance provenance() const;
  Shape shape() const;  // of a scalable filter: of its first layer
  KeyHash hash() const;
  std::string_view layout_name() const;  // "block", "lines", "classic", "counting", "scalable"
  std::size_t size_bytes() const;        // 0 once the filter was moved from
  // The filter itself, or null where it has another layout. Block and lines are one type.
  BlockFilter* as_block() { return other_ == nullptr ? &block_ : nullptr; }
  const BlockFilter* as_block() const { return other_ == nullptr ? &block_ : nullptr; }
  Classic* as_classic();
  const Classic* as_classic() const;
  // Calls use(filter) with the filter in its own type. Needs filter/engine_layouts.h.
  template <class Use>
  decltype(auto) visit(Use use) const;
  template <class Use>
  decltype(auto) visit(Use use);

 private:
  struct Other;  // every layout but block: this header then needs none of their code

  // One check where lookups are inlined: only a block filter has them, and they ask for it anyway.
  template <class Key>
  bool is_block() const {
    return block_.view().template is_inlined<Key>() || other_ == nullptr;
  }

  explicit Engine(Other* other) : other_{other} {}  // takes it over
  [[gnu::cold]] void add_apart(ByteView key);
  void add_apart(std::uint64_t key);
  bool insert_other(ByteView key);
  bool insert_other(std::uint64_t key);
  // Pure, so that a loop of lookups need not read the filter again for every key.
  [[gnu::cold, gnu::pure]] bool other_may_contain(ByteView key) const;
  bool other_may_contain(std::uint64_t key) const;

  BlockFilter block_;       // empty where there is another layout
  Other* other_ = nullptr;  // owned
};

}  // namespace bloomery
