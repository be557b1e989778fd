#include "bloomery/layout/modulus.h"

#include <gtest/gtest.h>

#include <random>

namespace bloomery {
namespace {

TEST(Modulus, EqualsTheRemainderAtTheEdges) {
  const std::uint64_t edges[] = {1,          2,          3,          7,          64,        1000,
                                 4294967295, 4294967296, 1ULL << 48, 1ULL << 63, UINT64_MAX};
  for (const std::uint64_t divisor : edges)
    for (const std::uint64_t near : edges)
      for (const std::uint64_t x : {near - 1, near, near + 1, near * 3, std::uint64_t{0}})
        EXPECT_EQ(x % Modulus{divisor}, x % divisor) << x << " by " << divisor;
}

TEST(Modulus, EqualsTheRemainderOfRandomNumbers) {
  std::mt19937_64 random{7};
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t divisor = (random() >> (random() % 64)) | 1;
    const std::uint64_t x = random();
    ASSERT_EQ(x % Modulus{divisor}, x % divisor) << x << " by " << divisor;
  }
}

// Where a quotient that is one too large or too small shows: at a multiple and right below it.
TEST(Modulus, EqualsTheRemainderAroundMultiples) {
  std::mt19937_64 random{8};
  for (int i = 0; i < 50000; ++i) {
    const std::uint64_t divisor = (random() >> (random() % 64)) | 1;
    const std::uint64_t largest = UINT64_MAX / divisor * divisor;
    const std::uint64_t some = random() % (UINT64_MAX / divisor) * divisor + divisor;
    for (const std::uint64_t x : {largest, largest - 1, some, some - 1})
      ASSERT_EQ(x % Modulus{divisor}, x % divisor) << x << " by " << divisor;
  }
}

TEST(Modulus, EqualsTheRemainderOfNumbersOf32Bits) {
  std::mt19937_64 random{9};
  const auto check = [](std::uint32_t x, std::uint64_t divisor) {
    ASSERT_EQ(x % Modulus{divisor}, x % divisor) << x << " by " << divisor;
  };
  for (const std::uint64_t divisor :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{UINT32_MAX} - 1,
        std::uint64_t{UINT32_MAX}, std::uint64_t{UINT32_MAX} + 1, UINT64_MAX})
    for (const std::uint32_t x : {0U, 1U, 2U, UINT32_MAX - 1, UINT32_MAX}) check(x, divisor);
  for (int i = 0; i < 50000; ++i) {
    const std::uint64_t divisor = (random() >> (random() % 32 + 32)) | 1;
    const auto multiple = static_cast<std::uint32_t>(UINT32_MAX / divisor * divisor);
    for (const std::uint32_t x : {static_cast<std::uint32_t>(random()), multiple, multiple - 1})
      check(x, divisor);
  }
}

}  // namespace
}  // namespace bloomery
