// The classic filter that owns its memory. What it computes is in classic_view.h; here is what two
// filters can do with each other, and what one knows of itself.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>

#include "bloomery/base/buffer.h"
#include "bloomery/base/message.h"
#include "bloomery/filter/classic/bit_array.h"
#include "bloomery/filter/classic/view.h"
#include "bloomery/filter/health.h"
#include "bloomery/filter/provenance.h"

namespace bloomery {

// Many readers or one writer, as std::vector.
template <Dialect D>
class ClassicFilter {
 public:
  using DialectType = D;

  static Result<ClassicFilter> for_goal(Goal goal, D dialect = {},
                                        std::pmr::memory_resource* memory = nullptr) {
    const auto shape = D::shape_for(goal);
    if (!shape) return shape.error();
    ClassicFilter filter{*shape, dialect, memory};
    filter.provenance_.goal = goal;
    return filter;
  }
  // Takes any shape: one without bits or without probes answers "maybe" to every key.
  // Throws std::bad_alloc where the bits do not fit in memory.
  explicit ClassicFilter(Shape shape, D dialect = {}, std::pmr::memory_resource* memory = nullptr)
      : shape_{shape.bits != 0 ? shape : Shape{0, 0}},
        modulus_{shape.bits},
        dialect_{dialect},
        buffer_{memory_bytes(shape.bytes()), memory} {}

  bool insert(ByteView key) {  // true if certainly new
    const bool changed = view().insert(key);
    count(changed ? 1 : 0);
    return changed;
  }
  bool may_contain(ByteView key) const { return view().may_contain(key); }
  std::size_t insert_batch(std::span<const ByteView> keys) {  // how many were new
    const std::size_t added = view().insert_batch(keys);
    count(added);
    return added;
  }
  std::size_t insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new) {
    const std::size_t added = view().insert_batch(keys, is_new);
    count(added);
    return added;
  }
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const {
    view().may_contain_batch(keys, answers);
  }

  void reset() {
    clear_bits(buffer_.span());
    if (provenance_.keys_inserted) provenance_.keys_inserted = 0;
  }
  // Union; keys_inserted becomes the sum, an upper bound of the distinct keys.
  Status merge(const ClassicFilter& other) {
    if (auto same = same_kind(other); !same) return same;
    or_bits(buffer_.span(), other.bytes());
    provenance_.keys_inserted =
        sum_of_keys(provenance_.keys_inserted, other.provenance_.keys_inserted);
    return ok();
  }
  // Holds every key that both held, and may hold more. How many keys is then known by estimate
  // only.
  Status intersect(const ClassicFilter& other) {
    if (auto same = same_kind(other); !same) return same;
    and_bits(buffer_.span(), other.bytes());
    if (provenance_.keys_inserted)
      provenance_.keys_inserted = static_cast<std::uint64_t>(std::llround(health().estimated_keys));
    return ok();
  }
  // True only if every key of this filter is also answered "maybe" by the other: bits are a subset.
  Result<bool> is_subset_of(const ClassicFilter& other) const {
    if (auto same = same_kind(other); !same) return same.error();
    return bits_subset(bytes(), other.bytes());
  }
  // The filter of bits/factor bits with the same keys. kInvalidArgument unless the factor divides.
  Result<ClassicFilter> fold(std::uint64_t factor) const;

  ClassicFilter clone() const {
    ClassicFilter copy{Shape{0, 0}, dialect_};
    copy.shape_ = shape_;
    copy.modulus_ = modulus_;
    copy.provenance_ = provenance_;
    copy.buffer_ = buffer_.clone();
    return copy;
  }
  friend bool operator==(const ClassicFilter& a, const ClassicFilter& b) {
    return a.shape_ == b.shape_ && a.dialect_ == b.dialect_ &&
           std::ranges::equal(a.bytes(), b.bytes());
  }

  Shape shape() const { return shape_; }
  const D& dialect() const { return dialect_; }
  std::uint64_t size_bits() const { return shape_.bits; }
  std::size_t size_bytes() const { return buffer_.size(); }
  ByteView bytes() const { return buffer_.view(); }
  ByteSpan bytes() { return buffer_.span(); }  // for decoders: bits past shape().bits stay zero
  const Provenance& provenance() const { return provenance_; }
  void set_provenance(Provenance provenance) { provenance_ = provenance; }
  Health health() const { return classic_health(shape_, count_ones(bytes()), provenance_.goal); }

 private:
  ClassicView<D> view() { return {shape_, modulus_, buffer_.span(), dialect_}; }
  ClassicView<D, const std::byte> view() const {
    return {shape_, modulus_, buffer_.view(), dialect_};
  }
  void count(std::uint64_t added) {
    if (provenance_.keys_inserted) *provenance_.keys_inserted += added;
  }
  Status same_kind(const ClassicFilter& other) const {
    if (shape_ != other.shape_)
      return Error{
          ErrorCode::kInvalidArgument,
          message("the filters differ in shape: ", shape_.bits, " bits and ", shape_.probes,
                  " probes against ", other.shape_.bits, " and ", other.shape_.probes,
                  "; make both for the same number of keys and the same rate")};
    if (!(dialect_ == other.dialect_))
      return Error{ErrorCode::kInvalidArgument, message("the filters hash differently (", D::kName,
                                                        " with another seed, key or mode)")};
    return ok();
  }

  Shape shape_;
  Modulus modulus_;
  [[no_unique_address]] D dialect_;
  Provenance provenance_;
  Buffer buffer_;
};

template <Dialect D>
Result<ClassicFilter<D>> ClassicFilter<D>::fold(std::uint64_t factor) const {
  if (factor == 0 || shape_.bits % factor != 0 || shape_.bits / factor % bits_multiple<D>() != 0)
    return Error{ErrorCode::kInvalidArgument,
                 message("a filter of ", shape_.bits, " bits cannot be folded by ", factor,
                         ": the result must have whole bits in multiples of ", bits_multiple<D>())};
  ClassicFilter folded{Shape{shape_.bits / factor, shape_.probes}, dialect_, buffer_.memory()};
  folded.provenance_ = provenance_;
  for_each_one(bytes(), [&](std::uint64_t bit) {
    const std::uint64_t to = folds_neighbours<D>() ? bit / factor : bit % folded.shape_.bits;
    folded.buffer_.span()[static_cast<std::size_t>(to / 8)] |= std::byte{1} << (to % 8);
  });
  return folded;
}

}  // namespace bloomery
