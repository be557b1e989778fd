// Integers in bytes: little- and big-endian, unaligned, always through memcpy.
#pragma once
#include <bit>
#include <concepts>
#include <cstring>

#include "bloomery/base/bytes.h"

static_assert(
    std::endian::native == std::endian::little,
    "Bloomery needs a little-endian machine: its memory layout is its file layout, so on a "
    "big-endian one every file and mapped filter would be read wrongly.");

namespace bloomery {

constexpr std::uint16_t byte_swapped(std::uint16_t x) { return __builtin_bswap16(x); }
constexpr std::uint32_t byte_swapped(std::uint32_t x) { return __builtin_bswap32(x); }
constexpr std::uint64_t byte_swapped(std::uint64_t x) { return __builtin_bswap64(x); }

// Precondition of all four: sizeof(T) bytes lie at the pointer.
template <class T>
T load_le(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <std::unsigned_integral T>
T load_be(const std::byte* from) noexcept {
  return byte_swapped(load_le<T>(from));
}
template <class T>
void store_le(std::byte* to, T value) noexcept {
  std::memcpy(to, &value, sizeof value);
}
template <std::unsigned_integral T>
void store_be(std::byte* to, T value) noexcept {
  store_le(to, byte_swapped(value));
}

}  // namespace bloomery
