// The block filter: one cache line per key. The fastest filter of this library, for rates down to
// about 3e-4; below that, two to four lines per key (the layout lines) need fewer bits.
#pragma once
#include <utility>

#include "bloomery/base/buffer.h"
#include "bloomery/filter/block/view.h"
#include "bloomery/filter/health.h"
#include "bloomery/filter/provenance.h"

namespace bloomery {

struct BloomeryBlock {
  static constexpr std::string_view kName = "bloomery-block";
  static constexpr std::string_view kLinesName = "bloomery-lines";  // several lines per key
};

// Many readers or one writer, as std::vector.
class BlockFilter {
 public:
  using DialectType = BloomeryBlock;

  // kInvalidArgument for a goal that no block filter can meet.
  static Result<BlockFilter> for_goal(Goal goal, const KeyHash& hash = {},
                                      std::pmr::memory_resource* memory = nullptr);
  // The same with several cache lines per key.
  static Result<BlockFilter> lines_for_goal(Goal goal, const KeyHash& hash = {},
                                            std::pmr::memory_resource* memory = nullptr);
  // Takes any shape, as usable(shape); throws std::bad_alloc where it does not fit in memory. A
  // seeded filter made here has window set 0 everywhere; SeededBuilder chooses better ones.
  explicit BlockFilter(BlockShape shape, const KeyHash& hash = {},
                       std::pmr::memory_resource* memory = nullptr);
  // A filter that was moved from has no blocks: it may be assigned to, saved (which is refused) or
  // destroyed, and a lookup ends the program. Copies are asked for by name: clone().
  BlockFilter(BlockFilter&& other) noexcept
      : provenance_{other.provenance_},
        added_{other.added_},
        has_uncounted_{other.has_uncounted_},
        buffer_{std::move(other.buffer_)},
        view_{std::exchange(other.view_, {})} {}
  BlockFilter& operator=(BlockFilter&& other) noexcept {
    provenance_ = other.provenance_;
    added_ = other.added_;
    has_uncounted_ = other.has_uncounted_;
    buffer_ = std::move(other.buffer_);
    view_ = std::exchange(other.view_, {});
    return *this;
  }

  // Key is a ByteView, a Hash128, or a std::uint64_t where the keys are whole numbers.
  template <class Key>
  bool insert(Key key) {  // true if certainly new
    const bool is_new = view_.insert(key);
    added_ += is_new ? 1 : 0;
    return is_new;
  }
  template <class Key>
  bool may_contain(Key key) const {
    return view_.may_contain(key);
  }
  // An insert that tells nothing and counts nothing. provenance() then estimates the keys from the
  // bits. The first one is a call that notes this; those after it are inlined where inserts are.
  template <class Key>
  void add(Key key) {
    if (view_.template is_adding<Key>())
      view_.add(key);
    else if (!view_.add_lines(key))
      add_apart(key);
  }
  template <class Key>
  bool add_lines(Key key) {  // true if it was added: elsewhere, and at first, add_apart() does
    return view_.add_lines(key);
  }
  template <class Key>
  bool is_adding() const {
    return view_.template is_adding<Key>();
  }
  void add_apart(ByteView key);
  void add_apart(std::uint64_t key);
  template <class Key>
  void add_batch(std::span<const Key> keys) {
    has_uncounted_ = true;
    view_.add_batch(keys);
  }
  // Batches return how many keys were new, or may be contained. Precondition: one answer per key;
  // for numbers hash().takes_numbers().
  template <class Key>
  std::size_t insert_batch(std::span<const Key> keys) {
    return counted(view_.insert_batch(keys));
  }
  template <class Key>
  std::size_t insert_batch(std::span<const Key> keys, std::span<std::uint8_t> is_new) {
    assert(is_new.size() >= keys.size());
    return counted(view_.insert_batch(keys, {is_new.data(), nullptr}));
  }
  template <class Key>
  std::size_t may_contain_batch(std::span<const Key> keys, std::span<std::uint8_t> answers) const {
    assert(answers.size() >= keys.size());
    return view_.may_contain_batch(keys, {answers.data(), nullptr});
  }
  // One bit per key, the first in the lowest bit. Precondition: bits for all keys.
  template <class Key>
  std::size_t may_contain_bits(std::span<const Key> keys, std::span<std::uint8_t> bits) const {
    assert(bits.size() * 8 >= keys.size());
    return view_.may_contain_batch(keys, {nullptr, bits.data()});
  }

  void reset();  // a seeded filter keeps its seeds
  // Union; keys_inserted becomes the sum, an upper bound of the distinct keys. Seeded filters merge
  // only where their seeds are equal.
  Status merge(const BlockFilter& other);
  // Holds every key that both held, and may hold more.
  Status intersect(const BlockFilter& other);
  // True only if every key of this filter is also answered "maybe" by the other: bits are a subset.
  Result<bool> is_subset_of(const BlockFilter& other) const;
  // The filter of blocks/factor blocks with the same keys. kInvalidArgument unless the factor
  // divides, and for a seeded filter.
  Result<BlockFilter> fold(std::uint64_t factor) const;
  BlockFilter clone() const;
  friend bool operator==(const BlockFilter& a, const BlockFilter& b);

  Shape shape() const { return {block_shape().bits(), block_shape().probes}; }
  BlockShape block_shape() const { return view_.shape(); }
  std::string_view dialect_name() const {
    return block_shape().lines() > 1 ? BloomeryBlock::kLinesName : BloomeryBlock::kName;
  }
  KeyHash hash() const { return view_.hash(); }
  std::uint64_t size_bits() const { return block_shape().bits(); }
  std::size_t size_bytes() const { return buffer_.size(); }
  ByteView bytes() const { return buffer_.view(); }  // the blocks, then the seeds
  ByteSpan bytes() { return buffer_.span(); }        // for decoders: seeds stay below kWindowSets
  const BlockView<>& view() const { return view_; }
  // After add() the number of keys is estimated from the bits: reads them all, or a large sample.
  Provenance provenance() const {
    return {provenance_.goal, has_uncounted_ ? estimated_keys_inserted()
                                             : sum_of_keys(provenance_.keys_inserted, added_)};
  }
  void set_provenance(Provenance provenance) {
    provenance_ = provenance;
    added_ = 0;
    has_uncounted_ = false;
    view_.stop_adding();
  }
  Health health() const;

 private:
  friend class Engine;
  BlockFilter() = default;  // as one that was moved from

  std::size_t counted(std::size_t added) {
    added_ += added;
    return added;
  }
  std::optional<std::uint64_t> estimated_keys_inserted() const;
  Status same_kind(const BlockFilter& other) const;

  Provenance provenance_;
  std::uint64_t added_ = 0;     // keys since provenance_ was set: plain, because every insert adds
  bool has_uncounted_ = false;  // there were calls of add()
  Buffer buffer_;
  BlockView<> view_;
};

}  // namespace bloomery
