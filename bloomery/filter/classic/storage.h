// What a classic filter and a counting filter own alike: shape, dialect, memory and provenance.
#pragma once
#include <algorithm>

#include "bloomery/base/buffer.h"
#include "bloomery/filter/classic/bit_array.h"
#include "bloomery/filter/provenance.h"
#include "bloomery/layout/dialect.h"
#include "bloomery/layout/modulus.h"

namespace bloomery::internal {

// A base class: what follows `public` is the interface of both filters.
template <Dialect D>
class ClassicStorage {
 public:
  using DialectType = D;

  Shape shape() const { return shape_; }
  const D& dialect() const { return dialect_; }
  std::uint64_t size_bits() const { return shape_.bits; }
  std::size_t size_bytes() const { return buffer_.size(); }
  ByteView bytes() const { return buffer_.view(); }
  ByteSpan bytes() { return buffer_.span(); }  // for decoders: zero past the last bit or counter
  const Provenance& provenance() const { return provenance_; }
  void set_provenance(Provenance provenance) { provenance_ = provenance; }
  void reset() {
    clear_bits(buffer_.span());
    if (provenance_.keys_inserted) provenance_.keys_inserted = 0;
  }

 protected:
  template <class Filter>
  static Result<Filter> made_for(Goal goal, D dialect, std::pmr::memory_resource* memory) {
    const auto shape = D::shape_for(goal);
    if (!shape) return shape.error();
    Filter filter{*shape, dialect, memory};
    filter.set_provenance({.goal = goal, .keys_inserted = 0});
    return filter;
  }
  ClassicStorage(Shape shape, D dialect, Buffer buffer)
      : shape_{shape}, modulus_{shape.bits}, dialect_{dialect}, buffer_{std::move(buffer)} {}
  ClassicStorage copy() const {
    ClassicStorage storage{shape_, dialect_, buffer_.clone()};
    storage.provenance_ = provenance_;
    return storage;
  }
  bool equals(const ClassicStorage& other) const {
    return shape_ == other.shape_ && dialect_ == other.dialect_ &&
           std::ranges::equal(bytes(), other.bytes());
  }
  void add_keys_of(const ClassicStorage& other) {  // an upper bound of the distinct keys
    provenance_.keys_inserted =
        sum_of_keys(provenance_.keys_inserted, other.provenance_.keys_inserted);
  }

  Shape shape_;
  Modulus modulus_;
  [[no_unique_address]] D dialect_;
  Provenance provenance_;
  Buffer buffer_;
};

}  // namespace bloomery::internal
