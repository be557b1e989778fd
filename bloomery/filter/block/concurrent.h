// A block filter that any number of threads fill and query at the same time. Same layout and bits
// as BlockFilter (plain, not seeded), into which and from which it moves.
#pragma once
#include <array>
#include <atomic>
#include <memory>

#include "bloomery/filter/block/block.h"

namespace bloomery {

// Every function but the moves may run in many threads at once, and none waits for another: an
// insert sets bits one by one, and a word of 64 bits changes no more than 64 times. A key whose
// insert happened before a lookup is always found. All else is as a Bloom filter: a lookup beside
// an insert of the same key may answer either way.
class ConcurrentBlockFilter {
 public:
  // kInvalidArgument for a goal that no block filter can meet.
  static Result<ConcurrentBlockFilter> for_goal(Goal goal, const KeyHash& hash = {},
                                                std::pmr::memory_resource* memory = nullptr);
  // kInvalidArgument for a seeded filter, which is built in bulk; it is then lost.
  static Result<ConcurrentBlockFilter> from(BlockFilter filter);
  // Takes any shape, as usable(shape), and makes no seeded filter; throws std::bad_alloc where it
  // does not fit in memory.
  explicit ConcurrentBlockFilter(BlockShape shape, const KeyHash& hash = {},
                                 std::pmr::memory_resource* memory = nullptr);
  // The filter as it is, without a copy. Precondition: no other thread uses this one.
  BlockFilter into_filter() &&;

  // True if this call set a bit: then the key was certainly absent. Two threads that insert one new
  // key at once share its bits between them, so both may return true.
  // The key is a ByteView, a Hash128, or a std::uint64_t where the keys are whole numbers.
  bool insert(ByteView key) { return insert_and_count(hash_.digest(key)); }
  bool insert(std::uint64_t key);
  bool insert(Hash128 key) { return insert_and_count(key); }
  bool may_contain(ByteView key) const { return holds(hash_.digest(key)); }
  bool may_contain(std::uint64_t key) const;
  bool may_contain(Hash128 key) const { return holds(key); }

  // Batches return how many keys were new, or may be contained. Precondition: one answer per key,
  // or no answers; for numbers hash().takes_numbers().
  template <class Key>
  std::size_t insert_batch(std::span<const Key> keys, std::span<std::uint8_t> is_new = {});
  template <class Key>
  std::size_t may_contain_batch(std::span<const Key> keys, std::span<std::uint8_t> answers) const;

  // A copy, made while others insert: it holds every key whose insert happened before the call, and
  // perhaps bits of later ones.
  BlockFilter snapshot(std::pmr::memory_resource* memory = nullptr) const;
  Health health() const;
  Provenance provenance() const;  // keys_inserted: inserts that set a bit

  BlockShape block_shape() const { return filter_.block_shape(); }
  KeyHash hash() const { return hash_; }
  std::size_t size_bytes() const { return filter_.size_bytes(); }

 private:
  explicit ConcurrentBlockFilter(BlockFilter filter);
  // One counter would be the only memory that all threads write: each has a cache line of its own,
  // or shares it with few.
  struct alignas(block::kBlockBytes) Stripe {
    std::atomic<std::uint64_t> keys = 0;
  };
  static constexpr std::size_t kStripes = 64;
  using Stripes = std::array<Stripe, kStripes>;

  bool insert_and_count(Hash128 hash);
  void count(std::uint64_t keys);
  bool set(Hash128 hash);
  bool holds(Hash128 hash) const;
  bool set_line(Hash128 line);
  bool holds_line(Hash128 line) const;
  template <class Use>
  void each_line(Hash128 hash, Use use) const;
  std::uint64_t* block_at(std::uint64_t number) const;
  block::BlockMask load(std::uint64_t number) const;
  template <class Key, class Act>
  std::size_t in_groups(std::span<const Key> keys, std::span<std::uint8_t> answers, Act act) const;

  BlockFilter filter_;
  KeyHash hash_;
  std::uint64_t* words_;
  std::unique_ptr<Stripes> stripes_;
};

}  // namespace bloomery
