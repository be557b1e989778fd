#include "bloomery/layout/modulus.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

// Numbers where a wrong magic or shift shows: small, around powers of two, and the largest.
constexpr std::uint64_t kEdges[] = {1,
                                    2,
                                    3,
                                    7,
                                    63,
                                    64,
                                    65,
                                    9586,
                                    1000003,
                                    (1ULL << 31) - 1,
                                    1ULL << 31,
                                    (1ULL << 32) - 1,
                                    1ULL << 32,
                                    (1ULL << 32) + 1,
                                    (1ULL << 48) - 1,
                                    1ULL << 48};

TEST(Modulus, IsExactForNumbersOf64Bits) {
  for (const std::uint64_t divisor : kEdges) {
    const Modulus modulus{divisor};
    for (const std::uint64_t number : kEdges)
      for (const std::uint64_t x : {number - 1, number, number + 1, ~number, number * divisor,
                                    number * divisor - 1, number * 0x9e3779b97f4a7c15})
        EXPECT_EQ(x % modulus, x % divisor) << x << " % " << divisor;
  }
}

TEST(Modulus, IsExactForNumbersOf32Bits) {
  for (const std::uint64_t divisor : kEdges) {
    const Modulus modulus{divisor};
    for (std::uint32_t i = 0; i < 10'000; ++i)
      for (const std::uint32_t x : {i, ~i, i * 0x9e3779b1U, static_cast<std::uint32_t>(i * divisor),
                                    static_cast<std::uint32_t>(i * divisor - 1)})
        ASSERT_EQ(x % modulus, x % divisor) << x << " % " << divisor;
  }
}

}  // namespace
}  // namespace bloomery
