#include "apps/cli/dedup/repeat_table.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kRoomy = std::uint64_t{1} << 30;

TEST(RepeatTable, KeepsTheNumberOfEveryFingerprintWhileItGrows) {
  std::mt19937_64 random{5};
  RepeatTable table{kRoomy};
  std::unordered_map<std::uint64_t, std::uint64_t> exact;
  for (std::uint64_t i = 1; i <= 100'000; ++i) {
    // Some close together at both ends of the table, where probing wraps around.
    const std::uint64_t fingerprint = i % 50 == 0 ? 1 + i % 1000 : i % 50 == 1 ? ~i : random();
    ++exact[fingerprint];
    const auto number = table.put(fingerprint);
    ASSERT_TRUE(number);
    ++**number;
  }
  EXPECT_EQ(table.size(), exact.size());
  for (const auto& [fingerprint, count] : exact) {
    ASSERT_NE(table.find(fingerprint), nullptr);
    ASSERT_EQ(*table.find(fingerprint), count);
  }
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t other = random();
    EXPECT_EQ(table.find(other) != nullptr, exact.contains(other));
  }
}

TEST(RepeatTable, TakesAFingerprintOfZeroAndFindsNothingWhenEmpty) {
  RepeatTable table{kRoomy};
  EXPECT_EQ(table.find(0), nullptr);
  **table.put(0) = 7;
  ASSERT_NE(table.find(0), nullptr);
  EXPECT_EQ(*table.find(0), 7U);
}

TEST(RepeatTable, StopsAtItsLimitWithASentence) {
  RepeatTable table{std::uint64_t{1} << 20};
  std::mt19937_64 random{1};
  for (;;) {
    const auto number = table.put(random());
    if (number) continue;
    EXPECT_EQ(number.error().code, ErrorCode::kTooLarge);
    EXPECT_NE(number.error().message.find("--memory allows 1.0 MiB"), std::string::npos);
    break;
  }
  EXPECT_LE(table.bytes(), std::uint64_t{1} << 20);
  EXPECT_GT(table.size(), 30'000U);
}

}  // namespace
}  // namespace bloomery::cli
