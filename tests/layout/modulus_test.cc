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

}  // namespace
}  // namespace bloomery
