#include "bloomery/formats/index/bit_runs.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

namespace bloomery::internal {
namespace {

bool bit(const std::byte* from, std::uint64_t at) {
  return (static_cast<unsigned>(from[at / 8]) >> (7 - at % 8) & 1U) != 0;
}

// In memory of exactly the bytes that hold the bits, so that a sanitizer sees what lies beyond.
TEST(BitRuns, MovesBitsFromAnywhereToAnywhere) {
  std::mt19937_64 random{1};
  for (int round = 0; round < 20'000; ++round) {
    const std::uint64_t from_bit = random() % 20;
    const std::uint64_t to_bit = random() % 20;
    const std::uint64_t count = random() % 300;
    const std::uint64_t from_bytes = (from_bit + count + 7) / 8;
    const std::uint64_t to_bytes = (to_bit + count + 7) / 8;
    const auto from = std::make_unique<std::byte[]>(from_bytes);
    const auto to = std::make_unique<std::byte[]>(to_bytes);
    for (std::uint64_t i = 0; i < from_bytes; ++i) from[i] = static_cast<std::byte>(random());
    copy_bits(from.get(), from_bit, to.get(), to_bit, count);
    for (std::uint64_t i = 0; i < to_bytes * 8; ++i) {
      const bool inside = i >= to_bit && i < to_bit + count;
      ASSERT_EQ(bit(to.get(), i), inside && bit(from.get(), i - to_bit + from_bit))
          << from_bit << ' ' << to_bit << ' ' << count << ' ' << i;
    }
  }
}

TEST(BitRuns, FindsTheRunsOfZeros) {
  const std::byte bits[] = {std::byte{0b01100001}, std::byte{0b11000000}};
  const auto runs = runs_of_zeros(bits, 13);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].first, 0U);
  EXPECT_EQ(runs[0].count, 1U);
  EXPECT_EQ(runs[1].first, 3U);
  EXPECT_EQ(runs[1].count, 4U);
  EXPECT_EQ(runs[2].first, 10U);
  EXPECT_EQ(runs[2].count, 3U);
  EXPECT_TRUE(runs_of_zeros({}, 0).empty());
}

}  // namespace
}  // namespace bloomery::internal
