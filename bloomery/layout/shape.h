// The two numbers that fix a classic filter, and how they relate to keys and errors.
#pragma once
#include "bloomery/base/result.h"

namespace bloomery {

struct Shape {
  std::uint64_t bits;    // positions are taken modulo this, so it is part of the data
  std::uint32_t probes;  // positions per key

  // Storage is whole 64-bit words, which every CPU, file and GPU word size divides.
  constexpr std::uint64_t bytes() const { return bits / 64 * 8 + (bits % 64 != 0 ? 8 : 0); }
  friend bool operator==(const Shape&, const Shape&) = default;
};

struct Goal {  // what the caller wants; each dialect rounds it to a Shape in its own way
  std::uint64_t keys;
  double false_positive_rate;
  friend bool operator==(const Goal&, const Goal&) = default;
};

// No machine holds more: a goal or a shape beyond it is a mistake, refused before anything is
// allocated.
inline constexpr std::uint64_t kMaxBits = std::uint64_t{1} << 48;
inline constexpr std::uint32_t kMaxProbes = 1024;

Result<Goal> checked(Goal goal);     // keys >= 1, rate strictly between 0 and 1 (NaN is not)
Result<Shape> checked(Shape shape);  // 1..kMaxBits bits, 1..kMaxProbes probes
// The nearest goal that a filter can be made for, for any input: 0 keys count as 1, a
// rate of 0 or less, or none (NaN), as kStrictestRate, and 1 or more as kLoosestRate.
Goal clamped(Goal goal);
inline constexpr double kStrictestRate = 1e-12;
inline constexpr double kLoosestRate = 0.5;
// For constructors: a filter without bits has no probes, and so answers "maybe" to every key; more
// than kMaxProbes are that many.
constexpr Shape usable(Shape shape) {
  if (shape.bits == 0) return {0, 0};
  return {shape.bits, shape.probes < kMaxProbes ? shape.probes : kMaxProbes};
}
// For a dialect's sizing rule: the numbers as doubles, refused with a sentence when they fit no
// shape.
Result<Shape> checked_shape(double bits, double probes);

}  // namespace bloomery
