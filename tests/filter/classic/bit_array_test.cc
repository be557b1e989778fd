#include "bloomery/filter/classic/bit_array.h"

#include <gtest/gtest.h>

#include <vector>

namespace bloomery {
namespace {

std::vector<std::byte> words(std::initializer_list<std::uint64_t> values) {
  std::vector<std::byte> bytes(values.size() * 8);
  std::size_t at = 0;
  for (const std::uint64_t value : values) store_le(bytes.data() + 8 * at++, value);
  return bytes;
}

TEST(BitArray, UnionIntersectionAndSubset) {
  auto a = words({0xf0, 0x1});
  const auto b = words({0x3c, 0x0});
  EXPECT_FALSE(bits_subset(b, a));
  auto both = a;
  and_bits(both, b);
  EXPECT_EQ(both, words({0x30, 0x0}));
  EXPECT_TRUE(bits_subset(both, a));
  or_bits(a, b);
  EXPECT_EQ(a, words({0xfc, 0x1}));
  EXPECT_TRUE(bits_subset(b, a));
  clear_bits(a);
  EXPECT_EQ(a, words({0, 0}));
  clear_bits({});
}

TEST(BitArray, VisitsEverySetBitInOrder) {
  const auto bytes = words({1ULL << 63 | 1, 0, 1ULL << 5});
  std::vector<std::uint64_t> seen;
  for_each_one(bytes, [&](std::uint64_t bit) { seen.push_back(bit); });
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 63, 133}));
}

}  // namespace
}  // namespace bloomery
