// A divisor used many times: `x % modulus` is exact for every x, by multiplication instead of
// division (Granlund and Montgomery 1994, figure 4.1). Probes read as their definitions and cost no
// division.
#pragma once
#include <bit>
#include <cstdint>

namespace bloomery {

__extension__ using Wide = unsigned __int128;

class Modulus {
 public:
  // Zero is allowed for a filter without probes, which never divides.
  constexpr explicit Modulus(std::uint64_t value) : value_{value} {
    if (value_ == 0) return;
    const auto log2_ceil = static_cast<unsigned>(std::bit_width(value_ - 1));
    const Wide numerator = ((Wide{1} << log2_ceil) - value_) << 64;
    magic_ = static_cast<std::uint64_t>(numerator / value_) + 1;
    narrow_magic_ = UINT64_MAX / value_ + 1;
    first_shift_ = log2_ceil > 0 ? 1 : 0;
    second_shift_ = log2_ceil > 0 ? log2_ceil - 1 : 0;
  }

  constexpr std::uint64_t value() const { return value_; }

  friend constexpr std::uint64_t operator%(std::uint64_t x, const Modulus& modulus) {
    const auto high = static_cast<std::uint64_t>((Wide{modulus.magic_} * x) >> 64);
    const std::uint64_t quotient =
        (high + ((x - high) >> modulus.first_shift_)) >> modulus.second_shift_;
    return x - quotient * modulus.value_;
  }
  // Two multiplications where the number has 32 bits (Lemire, Kaser and Kurz 2019); 1 divides to 0
  // because the magic wraps to 0.
  friend constexpr std::uint64_t operator%(std::uint32_t x, const Modulus& modulus) {
    if (modulus.value_ > UINT32_MAX) return x;
    const std::uint64_t fraction = modulus.narrow_magic_ * x;
    return static_cast<std::uint64_t>((Wide{fraction} * modulus.value_) >> 64);
  }

 private:
  std::uint64_t value_;
  std::uint64_t magic_ = 0;
  std::uint64_t narrow_magic_ = 0;
  unsigned first_shift_ = 0;
  unsigned second_shift_ = 0;
};

}  // namespace bloomery
