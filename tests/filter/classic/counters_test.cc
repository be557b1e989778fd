#include "bloomery/filter/classic/counters.h"

#include <gtest/gtest.h>

#include <array>

namespace bloomery {
namespace {

template <class C>
class CountersTest : public ::testing::Test {};
using Sizes = ::testing::Types<Counters<2>, Counters<4>, Counters<8>>;
TYPED_TEST_SUITE(CountersTest, Sizes);

TYPED_TEST(CountersTest, EachCounterKeepsItsOwnNumber) {
  using C = TypeParam;
  std::array<std::byte, 16> bytes{};
  const std::uint64_t count = bytes.size() * C::kPerByte;
  std::uint64_t stuck = 0;
  std::uint64_t non_zero = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto value = static_cast<unsigned>(i * 7 % (C::kMax + 1));
    C::set(bytes, i, value);
    stuck += value == C::kMax ? 1 : 0;
    non_zero += value != 0 ? 1 : 0;
  }
  for (std::uint64_t i = 0; i < count; ++i) EXPECT_EQ(C::get(bytes, i), i * 7 % (C::kMax + 1));
  EXPECT_EQ(C::count_stuck(bytes), stuck);
  EXPECT_EQ(C::count_non_zero(bytes), non_zero);
}

TYPED_TEST(CountersTest, SumsStickAtTheMaximum) {
  using C = TypeParam;
  for (unsigned a = 0; a <= C::kMax; a += C::kMax > 15 ? 17 : 1)
    for (unsigned b = 0; b <= C::kMax; b += C::kMax > 15 ? 17 : 1) {
      std::array<std::byte, 8> into{};
      std::array<std::byte, 8> from{};
      C::set(into, 3, a);
      C::set(from, 3, b);
      C::add(into, from);
      EXPECT_EQ(C::get(into, 3), std::min(C::kMax, a + b));
      EXPECT_EQ(C::get(into, 2), 0U);
      EXPECT_EQ(C::get(into, 4), 0U);
    }
}

TEST(Counters, LieLowBitsFirst) {
  std::array<std::byte, 8> bytes{};
  Counters<4>::set(bytes, 0, 0x5);
  Counters<4>::set(bytes, 1, 0xa);
  EXPECT_EQ(bytes[0], std::byte{0xa5});
  Counters<2>::set(bytes, 7, 3);
  EXPECT_EQ(bytes[1], std::byte{0xc0});
  EXPECT_EQ(Counters<4>::bytes_for(1), 8U);
  EXPECT_EQ(Counters<4>::bytes_for(17), 16U);
  EXPECT_EQ(Counters<2>::bytes_for(32), 8U);
  EXPECT_EQ(Counters<8>::bytes_for(9), 16U);
}

}  // namespace
}  // namespace bloomery
