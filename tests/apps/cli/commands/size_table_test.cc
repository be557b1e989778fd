#include "apps/cli/commands/size_table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace bloomery::cli {
namespace {

const SizeRow& row_of(const SizeTable& table, std::string_view layout, std::string_view dialect) {
  const auto found = std::ranges::find_if(table.rows, [&](const SizeRow& row) {
    return row.layout == layout && row.dialect == dialect;
  });
  EXPECT_NE(found, table.rows.end()) << layout << ' ' << dialect;
  return found == table.rows.end() ? table.rows.front() : *found;
}

TEST(SizeTable, EachDialectRoundsInItsOwnWay) {
  const auto table = size_table({.keys = 1000, .rate = 0.01});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(row_of(*table, "classic", "guava-mitz64").bits, 9600U);
  EXPECT_EQ(row_of(*table, "classic", "bits-and-blooms").bits, 9586U);
  EXPECT_EQ(row_of(*table, "scalable", "redisbloom").bits, 11072U);
  const SizeRow& go_bloom = row_of(*table, "classic", "go-bloom");
  EXPECT_EQ(go_bloom.bits, 9584U);
  EXPECT_EQ(go_bloom.probes, 6U);
}

TEST(SizeTable, ADialectThatPromisesTooMuchIsTriedOut) {
  const auto table = size_table({.keys = 1'000'000, .rate = 0.01});
  ASSERT_TRUE(table);
  const SizeRow& go_bloom = row_of(*table, "classic", "go-bloom");
  EXPECT_TRUE(go_bloom.tried_out);
  EXPECT_NEAR(go_bloom.rate, 0.05, 0.01);
  const SizeRow& guava = row_of(*table, "classic", "guava-mitz64");
  EXPECT_FALSE(guava.tried_out);
  EXPECT_NEAR(guava.rate, 0.01, 0.0005);
}

TEST(SizeTable, BlocksCostALittleMoreThanClassicAndSeedsGiveItBack) {
  const auto table = size_table({.keys = 1'000'000, .rate = 0.01});
  ASSERT_TRUE(table);
  const SizeRow& classic = row_of(*table, "classic", "bloomery-classic");
  const SizeRow& block = row_of(*table, "block", "bloomery-block");
  const SizeRow& seeded = row_of(*table, "seeded", "bloomery-block");
  EXPECT_GT(block.bits, classic.bits);
  EXPECT_LT(block.bits, classic.bits * 115 / 100);
  EXPECT_LT(seeded.bits, classic.bits);
  EXPECT_EQ(seeded.bits, seeded.bytes * 8);
  EXPECT_LE(block.rate, 0.01);
}

TEST(SizeTable, BlocksSolveForTheirOwnKeys) {
  const auto table = size_table({.rate = 0.01, .bits = 8388608});
  ASSERT_TRUE(table);
  EXPECT_EQ(row_of(*table, "block", "bloomery-block").bits, 8388608U);
  EXPECT_LT(row_of(*table, "block", "bloomery-block").keys, table->sizing.keys);
  const auto three = size_table({.keys = 1000, .rate = 0.01, .probes = 3});
  ASSERT_TRUE(three);
  for (const SizeRow& row : three->rows) EXPECT_NE(row.layout, "block");  // it has no three probes
}

TEST(SizeTable, CountersTakeFourTimesTheBits) {
  const auto table = size_table({.keys = 1000, .rate = 0.01});
  ASSERT_TRUE(table);
  EXPECT_EQ(row_of(*table, "counting", "bloomery-classic").bits,
            4 * row_of(*table, "classic", "bloomery-classic").bits);
  EXPECT_GT(row_of(*table, "scalable", "bloomery-classic").bits,
            row_of(*table, "classic", "bloomery-classic").bits);
}

// Figures of split-block filters as measured by others: 10 bits per key err at about 1.27 %.
TEST(SizeTable, SplitBlocksAreSizedInPowersOfTwoAndErrAsMeasured) {
  const auto table = size_table({.keys = 104'858, .rate = 0.013});
  ASSERT_TRUE(table);
  const SizeRow& parquet = row_of(*table, "split-block", "parquet-xxh64");
  EXPECT_EQ(parquet.bits & (parquet.bits - 1), 0U);
  if (parquet.bits == std::uint64_t{1} << 20) {
    EXPECT_NEAR(parquet.rate, 0.0127, 0.0003);
  }
  EXPECT_LE(parquet.rate, 0.0135);
}

TEST(SizeTable, SolvesForTheKeysThatFit) {
  const auto table = size_table({.rate = 0.01, .bits = 8388608});
  ASSERT_TRUE(table);
  EXPECT_NEAR(static_cast<double>(table->sizing.keys), 874'455, 100);
  EXPECT_EQ(row_of(*table, "classic", "bloomery-classic").bits, 8388608U);
}

TEST(SizeTable, OneNumberAloneIsJoinedByOnePercent) {
  const auto table = size_table({.keys = 1000});
  ASSERT_TRUE(table);
  EXPECT_NEAR(table->sizing.rate, 0.01, 0.0001);
  EXPECT_FALSE(size_table({}));
  EXPECT_FALSE(size_table({.probes = 3}));
}

TEST(SizeTable, AHugeWishCostsNoMemory) {
  const auto table = size_table({.keys = 1'000'000'000'000, .rate = 0.001});
  ASSERT_TRUE(table);
  EXPECT_GT(table->rows.front().bytes, std::uint64_t{1} << 40);
}

}  // namespace
}  // namespace bloomery::cli
