// The algorithm of the classic filter: k bits per key anywhere in one array. Bit i lives in byte
// i/8 at bit i%8; on a little-endian machine that is bit i%W of word i/W for every word size W.
#pragma once
#include <cassert>
#include <type_traits>

#include "bloomery/layout/dialect.h"

namespace bloomery {

// Works alike over a Buffer, a mapped file or shared memory. Many readers or one writer.
template <Dialect D, class Byte = std::byte>  // Byte: std::byte or const std::byte
class ClassicView {
 public:
  // Precondition: bits holds shape.bytes(), or at least the bytes that shape.bits need.
  ClassicView(Shape shape, std::span<Byte> bits, D dialect = {})
      : ClassicView{shape, Modulus{shape.bits}, bits, dialect} {}
  // For an owner that makes views often and keeps the modulus.
  ClassicView(Shape shape, Modulus modulus, std::span<Byte> bits, D dialect)
      : shape_{shape}, modulus_{modulus}, bits_{bits.data()}, dialect_{dialect} {
    assert(bits.size() >= (shape.bits + 7) / 8);
    assert(shape.bits > 0 || shape.probes == 0);
    assert(modulus.value() == shape.bits);
  }

  // True if a bit changed, that is, if the key was certainly absent before.
  bool insert(ByteView key) const requires(!std::is_const_v<Byte>) {
    Probes<D> probes{dialect_, dialect_.digest(key), modulus_};
    bool changed = false;
    for (std::uint32_t i = 0; i < shape_.probes; ++i) changed |= set(probes.next());
    return changed;
  }
  bool may_contain(ByteView key) const {
    Probes<D> probes{dialect_, dialect_.digest(key), modulus_};
    for (std::uint32_t i = 0; i < shape_.probes; ++i)
      if (!test(probes.next())) return false;
    return true;
  }

  // Same bits and answers as one key at a time, with memory fetched ahead. Returns how many keys
  // were new; the second form also says which, 1 for new. Precondition: is_new.size() ==
  // keys.size().
  std::size_t insert_batch(std::span<const ByteView> keys) const requires(!std::is_const_v<Byte>);
  std::size_t insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new) const
      requires(!std::is_const_v<Byte>);
  // Precondition: answers.size() == keys.size(). Answer 1: may contain.
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const;

 private:
  // Below this size the filter sits in the second-level cache and fetching ahead costs more than it
  // saves.
  static constexpr std::uint64_t kPrefetchFromBytes = std::uint64_t{256} * 1024;
  static constexpr std::uint32_t kMaxStoredProbes =
      32;                                           // positions kept per key between two passes
  static constexpr std::size_t kGroup = 32;         // keys in flight
  static constexpr std::uint32_t kFirstProbes = 2;  // an absent key seldom passes more

  bool batches_pay() const {
    return shape_.bytes() >= kPrefetchFromBytes && shape_.probes <= kMaxStoredProbes &&
           shape_.probes >= kFirstProbes;
  }
  bool test(std::uint64_t bit) const {
    return (static_cast<unsigned>(bits_[bit / 8]) >> (bit % 8) & 1U) != 0;
  }
  bool set(std::uint64_t bit) const {
    const auto mask = std::byte{1} << (bit % 8);
    const bool changed = (bits_[bit / 8] & mask) == std::byte{0};
    bits_[bit / 8] |= mask;
    return changed;
  }
  void insert_group(std::span<const ByteView> keys, std::uint8_t* is_new) const;
  void may_contain_group(std::span<const ByteView> keys, std::uint8_t* answers) const;

  Shape shape_;
  Modulus modulus_;
  Byte* bits_;
  [[no_unique_address]] D dialect_;
};

}  // namespace bloomery

#include "bloomery/filter/classic/batch.h"  // IWYU pragma: export
