// Hostile bytes for a decoder, made from a good file: every truncation, header bytes and length
// fields set to the values that break careless code. Each ends in an error with a sentence or in a
// filter that answers.
// A truncated file is refused.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>

#include "bloomery/base/endian.h"
#include "tests/formats/golden.h"

namespace bloomery::testing {

// decode: ByteView -> Result<something>. True if it refused the bytes; else `ask` is called on what
// it made of them.
template <class Decode, class Ask>
bool survive(ByteView bytes, Decode decode, Ask ask) {
  auto decoded = decode(bytes);
  if (decoded) {
    ask(*decoded);
    return false;
  }
  EXPECT_FALSE(decoded.error().message.empty());
  return true;
}

// `valid_truncations`: how many of the lengths tried make a whole file of their own, in a format
// that does not store its length or promises to read up to a torn end.
template <class Decode, class Ask>
requires(!std::integral<Ask>) void survive_hostile_bytes(const Bytes& good, Decode decode, Ask ask,
                                                         std::size_t valid_truncations = 0) {
  const std::size_t step =
      std::max<std::size_t>(1, good.size() / 4096);  // long files: not every length
  std::size_t truncations = 0;
  std::size_t refusals = 0;
  for (std::size_t length = 0; length < good.size(); length += length < 256 ? 1 : step) {
    ++truncations;
    refusals += survive(ByteView{good}.first(length), decode, ask);
  }
  EXPECT_EQ(truncations - refusals, valid_truncations) << "files that were cut short were accepted";
  const std::size_t header = std::min<std::size_t>(good.size(), 160);
  for (std::size_t at = 0; at < header; ++at)
    for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0x80U, 0xffU}) {
      Bytes bad = good;
      bad[at] = static_cast<std::byte>(value);
      survive(bad, decode, ask);
    }
  const std::uint64_t lengths[] = {std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                   std::uint64_t{1} << 60, std::uint64_t{1} << 62,
                                   std::uint64_t{1} << 63, UINT64_MAX};
  for (std::size_t at = 0; at + 8 <= header; ++at)
    for (const std::uint64_t length : lengths)
      for (const std::uint64_t field : {length, byte_swapped(length)}) {
        Bytes bad = good;
        std::memcpy(bad.data() + at, &field, sizeof field);
        survive(bad, decode, ask);
      }
}

template <class Decode>
void survive_hostile_bytes(const Bytes& good, Decode decode, std::size_t valid_truncations = 0) {
  survive_hostile_bytes(
      good, decode, [](const auto& filter) { (void)filter.may_contain(bytes_of("a key")); },
      valid_truncations);
}

}  // namespace bloomery::testing
