// Everything two programs must agree on to share the bits of a classic filter. Nothing of files.
#pragma once
#include <concepts>
#include <string_view>

#include "bloomery/base/bytes.h"
#include "bloomery/layout/modulus.h"
#include "bloomery/layout/shape.h"

namespace bloomery {

// A dialect is a small value: most are empty and their functions static; one with a seed or a
// secret key holds it. Positions are always below the modulus.
template <class D>
concept Dialect = std::copyable<D> && std::equality_comparable<D> &&
    requires(const D dialect, ByteView key, const typename D::Digest& digest, std::uint32_t i,
             const Modulus& bits, Goal goal) {
  { D::kName } -> std::convertible_to<std::string_view>;
  { dialect.digest(key) }
  noexcept->std::same_as<typename D::Digest>;
  { dialect.probe(digest, i, bits) }
  noexcept->std::same_as<std::uint64_t>;
  { D::shape_for(goal) } -> std::same_as<Result<Shape>>;
};

// A dialect whose probes are a true recurrence: the digest is moved on before each probe.
template <class D>
concept SteppedDialect = Dialect<D> && requires(const D dialect, const typename D::Digest& digest) {
  { dialect.next(digest) }
  noexcept->std::same_as<typename D::Digest>;
};

// How a filter shrinks by a factor f that divides its bits. Most dialects end in `number % bits`,
// so bit b goes to b % (bits / f). One that scales its numbers instead (number * bits >> 64) folds
// neighbours: bit b goes to b / f, and the dialect says so with `static constexpr bool
// kFoldsNeighbours = true`.
template <class D>
constexpr bool folds_neighbours() {
  if constexpr (requires { D::kFoldsNeighbours; }) return D::kFoldsNeighbours;
  return false;
}

// The bits of a filter come in multiples of this (`kBitsMultiple`; whole longs for one dialect,
// whole bytes for another): a fold must respect it.
template <class D>
constexpr std::uint64_t bits_multiple() {
  if constexpr (requires { D::kBitsMultiple; }) return D::kBitsMultiple;
  return 1;
}

// The positions of one key, in order.
template <Dialect D>
class Probes {
 public:
  Probes(const D& dialect, typename D::Digest digest, const Modulus& bits)
      : dialect_{dialect}, bits_{bits}, digest_{digest} {}
  std::uint64_t next() {
    if constexpr (SteppedDialect<D>) digest_ = dialect_.next(digest_);
    return dialect_.probe(digest_, index_++, bits_);
  }

 private:
  const D& dialect_;
  const Modulus& bits_;
  typename D::Digest digest_;
  std::uint32_t index_ = 0;
};

}  // namespace bloomery
