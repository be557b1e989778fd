#include "apps/cli/dedup/suspects.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

TEST(SuspectTable, KeepsAPlaceForEverySuspectAndForNothingElse) {
  std::mt19937_64 random{3};
  SuspectTable table{kPlenty};
  std::unordered_map<std::uint64_t, std::uint64_t> exact;
  for (std::uint64_t i = 1; i <= 50'000; ++i) {
    // Some close together at both ends of the table, where probing wraps around.
    const std::uint64_t fingerprint = i % 100 == 0 ? i : i % 100 == 1 ? ~i : random();
    exact[fingerprint] = i;
    ASSERT_TRUE(table.insert(fingerprint));
    ASSERT_TRUE(table.insert(fingerprint));
  }
  EXPECT_EQ(table.size(), exact.size());
  table.make_places();
  for (const auto& [fingerprint, place] : exact) {
    ASSERT_NE(table.place_of(fingerprint), nullptr);
    EXPECT_EQ(*table.place_of(fingerprint), 0U);
    *table.place_of(fingerprint) = place;
  }
  for (const auto& [fingerprint, place] : exact) EXPECT_EQ(*table.place_of(fingerprint), place);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t other = random();
    EXPECT_EQ(table.place_of(other) != nullptr, exact.contains(other));
  }
}

TEST(SuspectTable, TakesAFingerprintOfZero) {
  SuspectTable table{kPlenty};
  EXPECT_EQ(table.place_of(0), nullptr);
  ASSERT_TRUE(table.insert(0));
  table.make_places();
  EXPECT_NE(table.place_of(0), nullptr);
}

TEST(SuspectTable, StaysWithinItsMemory) {
  SuspectTable table{std::uint64_t{1} << 20};
  Status status = ok();
  std::uint64_t taken = 0;
  for (; status && taken < 100'000; ++taken) status = table.insert((taken + 1) << 40);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kTooLarge);
  EXPECT_GT(taken, 30'000U);
}

}  // namespace
}  // namespace bloomery::cli
