// The classic filter that owns its memory. What it computes is in view.h, what it holds in
// storage.h; here is what two filters can do with each other, and what one knows of itself.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>

#include "bloomery/base/message.h"
#include "bloomery/filter/classic/storage.h"
#include "bloomery/filter/classic/view.h"
#include "bloomery/filter/health.h"

namespace bloomery {

// Many readers or one writer, as std::vector.
template <Dialect D>
class ClassicFilter : public internal::ClassicStorage<D> {
  using Storage = internal::ClassicStorage<D>;

 public:
  using Storage::bytes;

  static Result<ClassicFilter> for_goal(Goal goal, D dialect = {},
                                        std::pmr::memory_resource* memory = nullptr) {
    return Storage::template made_for<ClassicFilter>(goal, dialect, memory);
  }
  // Takes any shape: one without bits or without probes answers "maybe" to every key.
  // Throws std::bad_alloc where the bits do not fit in memory.
  explicit ClassicFilter(Shape shape, D dialect = {}, std::pmr::memory_resource* memory = nullptr)
      : Storage{shape.bits != 0 ? shape : Shape{0, 0}, dialect,
                Buffer{memory_bytes(shape.bytes()), memory}} {}

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

  // Union; keys_inserted becomes the sum, an upper bound of the distinct keys.
  Status merge(const ClassicFilter& other) {
    if (auto same = same_kind(other); !same) return same;
    or_bits(buffer_.span(), other.bytes());
    this->add_keys_of(other);
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

  ClassicFilter clone() const { return ClassicFilter{Storage::copy()}; }
  friend bool operator==(const ClassicFilter& a, const ClassicFilter& b) { return a.equals(b); }
  Health health() const { return classic_health(shape_, count_ones(bytes()), provenance_.goal); }

 private:
  using Storage::buffer_;
  using Storage::dialect_;
  using Storage::modulus_;
  using Storage::provenance_;
  using Storage::shape_;

  explicit ClassicFilter(Storage storage) : Storage{std::move(storage)} {}
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
    if constexpr (requires { dialect_.hasher.profile(); }) {
      const auto mine = profile_name(dialect_.hasher.profile());
      const auto theirs = profile_name(other.dialect_.hasher.profile());
      if (mine != theirs)
        return Error{ErrorCode::kInvalidArgument,
                     message("the filters hash differently: ", mine, " against ", theirs)};
    }
    if (!(dialect_ == other.dialect_))
      return Error{ErrorCode::kInvalidArgument, message("the filters hash differently (", D::kName,
                                                        " with another seed, key or mode)")};
    return ok();
  }
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
