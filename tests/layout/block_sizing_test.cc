#include "bloomery/layout/block_sizing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "bloomery/filter/block/block.h"
#include "bloomery/layout/sizing.h"
#include "tests/full_run.h"

namespace bloomery {
namespace {

using Blocks = std::vector<block::BlockMask>;

// The rate of one block by asking every pattern: the product of the fills of its sectors.
double rate_of(const block::BlockMask& sectors, std::uint32_t probes) {
  double sum = 0;
  for (std::uint32_t number = 0; number < 16; ++number) {
    double product = 1;
    for (std::uint32_t i = 0; i < 8; ++i)
      if ((block::pattern(number, probes) >> i & 1) != 0)
        product *= std::popcount(sectors[i]) / 64.0;
    sum += product;
  }
  return sum / 16;
}

// A filter made by nothing but the definition, and its exact rate.
double simulated_rate(BlockShape shape, std::uint64_t keys, std::mt19937_64& random) {
  Blocks blocks(shape.blocks);
  for (std::uint64_t key = 0; key < keys; ++key) {
    const std::uint64_t place = random();
    const block::BlockMask mask = block::mask_of(place, random(), shape.probes);
    block::BlockMask& into = blocks[block::block_of(place, shape.blocks)];
    for (std::size_t i = 0; i < mask.size(); ++i) into[i] |= mask[i];
  }
  double sum = 0;
  for (const block::BlockMask& sectors : blocks) sum += rate_of(sectors, shape.probes);
  return sum / static_cast<double>(shape.blocks);
}

// Of a seeded filter: each block with the emptiest of all window sets.
double simulated_seeded_rate(BlockShape shape, std::uint64_t keys, std::mt19937_64& random) {
  std::vector<std::vector<Hash128>> in_block(shape.blocks);
  for (std::uint64_t key = 0; key < keys; ++key) {
    const Hash128 hash{random(), random()};
    in_block[block::block_of(hash.low, shape.blocks)].push_back(hash);
  }
  double sum = 0;
  for (const std::vector<Hash128>& own : in_block) {
    block::BlockMask sectors{};
    simd::active_block_kernels().best_windows(own.data(), own.size(), shape.probes,
                                              block::kWindowSets, sectors);
    sum += rate_of(sectors, shape.probes);
  }
  return sum / static_cast<double>(shape.blocks);
}

TEST(BlockSizing, TheExpectedRateIsTheOneOfTheDescription) {
  struct Row {
    double bits_per_key;
    std::uint32_t probes;
    double percent;
  };
  for (const Row& row : {Row{8, 5, 2.33}, Row{8, 8, 2.93}, Row{10, 6, 0.973}, Row{10, 8, 1.049},
                         Row{12, 7, 0.4205}, Row{12, 8, 0.422}, Row{16, 8, 0.0901}}) {
    const BlockShape shape{1'000'000, row.probes};
    const double keys = static_cast<double>(shape.bits()) / row.bits_per_key;
    EXPECT_NEAR(expected_rate(shape, keys), row.percent / 100, 0.01 * row.percent / 100)
        << row.bits_per_key << " bits per key, " << row.probes << " probes";
  }
}

TEST(BlockSizing, TheExpectedRateAndItsDeviationAreThoseOfManyFilters) {
  constexpr int kRuns = 400;
  std::mt19937_64 random{11};
  for (std::uint32_t probes = block::kFewestProbes; probes <= block::kMostProbes; ++probes)
    for (const std::uint64_t load : {12, 50, 130}) {
      const BlockShape shape{60, probes};
      const std::uint64_t keys = load * shape.blocks;
      double sum = 0;
      double square = 0;
      for (int run = 0; run < kRuns; ++run) {
        const double rate = simulated_rate(shape, keys, random);
        sum += rate;
        square += rate * rate;
      }
      const double mean = sum / kRuns;
      const double deviation = std::sqrt(square / kRuns - mean * mean);
      const auto count = static_cast<double>(keys);
      // Given their number the keys spread a little more evenly than Poisson says: 60 blocks show
      // it, by one part in 120 of the variance of a load.
      EXPECT_NEAR(mean, expected_rate(shape, count),
                  4 * deviation / std::sqrt(kRuns) + 0.004 * mean)
          << probes << " probes, load " << load;
      EXPECT_NEAR(deviation / rate_deviation(shape, count), 1, 0.25)
          << probes << " probes, load " << load;
    }
}

TEST(BlockSizing, TheModelOfSeededBlocksIsWithinTwoPercent) {
  std::mt19937_64 random{12};
  for (std::uint32_t probes = block::kFewestProbes; probes <= block::kMostProbes; ++probes)
    for (const std::uint64_t load : {21, 32, 51, 64, 100}) {
      const BlockShape shape{testing::full_run() ? 40'000U : 4'000U, probes, true};
      const std::uint64_t keys = load * shape.blocks;
      const auto count = static_cast<double>(keys);
      const double measured = simulated_seeded_rate(shape, keys, random);
      EXPECT_NEAR(measured / expected_rate(shape, count), 1,
                  0.02 + 3 * rate_deviation(shape, count) / measured)
          << probes << " probes, load " << load;
    }
}

TEST(BlockSizing, ARateGrowsWithKeysAndFallsWithBlocks) {
  for (std::uint32_t probes = block::kFewestProbes; probes <= block::kMostProbes; ++probes)
    for (const bool seeded : {false, true}) {
      double last = 0;
      for (double keys = 1000; keys < 1e6; keys *= 1.1) {
        const double rate = expected_rate(BlockShape{1000, probes, seeded}, keys);
        EXPECT_GT(rate, last);
        EXPECT_LT(rate, 1);
        EXPECT_LT(expected_rate(BlockShape{1100, probes, seeded}, keys), rate);
        last = rate;
      }
      EXPECT_EQ(expected_rate(BlockShape{1000, probes, seeded}, 0), 0);
    }
}

TEST(BlockSizing, TheBestProbesAreThoseOfTheDescription) {
  const auto best = [](double bits_per_key) {
    return best_block_probes(100'000, 512 * 100'000 / bits_per_key);
  };
  EXPECT_EQ(best(4), 4U);
  EXPECT_EQ(best(8), 5U);
  EXPECT_EQ(best(10), 6U);
  EXPECT_EQ(best(12), 7U);
  EXPECT_EQ(best(16), 8U);
  EXPECT_EQ(best(40), 8U);
}

TEST(BlockSizing, AShapeHasEightProbesWhereTheyCostThreePercentElseTheFewestBlocks) {
  for (const double rate : {0.2, 0.05, 0.01, 3e-3, 1e-3, 1e-5})
    for (const bool seeded : {false, true}) {
      const auto chosen = block_shape_for({1'000'000, rate}, seeded);
      ASSERT_TRUE(chosen);
      std::uint64_t fewest = kMaxBlocks;
      std::uint32_t best = 0;
      for (std::uint32_t probes = block::kFewestProbes; probes <= block::kMostProbes; ++probes) {
        const auto forced = block_shape_for({1'000'000, rate}, seeded, probes);
        ASSERT_TRUE(forced);
        EXPECT_EQ(forced->probes, probes);
        EXPECT_TRUE(probes != chosen->probes || forced->blocks == chosen->blocks) << rate;
        if (forced->blocks >= fewest) continue;
        fewest = forced->blocks;
        best = probes;
      }
      const auto eight = block_shape_for({1'000'000, rate}, seeded, block::kMostProbes);
      const double price = static_cast<double>(eight->blocks) / static_cast<double>(fewest);
      EXPECT_EQ(chosen->probes, price <= 1.03 && !seeded ? block::kMostProbes : best) << rate;
    }
}

// Two programs that ask for one goal make filters that can be merged, so its shape stays what it
// is.
TEST(BlockSizing, ShapesForCommonGoalsStayTheSame) {
  struct Row {
    Goal goal;
    std::uint64_t blocks;
    std::uint32_t probes;
    std::uint64_t seeded_blocks;
    std::uint32_t seeded_probes;
  };
  for (const Row& row :
       {Row{{1, 0.01}, 1, 8, 1, 6}, Row{{1000, 0.01}, 21, 8, 19, 6},
        Row{{1'000'000, 0.3}, 5856, 4, 5384, 4}, Row{{1'000'000, 0.05}, 12416, 4, 11528, 4},
        Row{{1'000'000, 0.01}, 19776, 8, 18120, 6}, Row{{1'000'000, 0.001}, 30784, 8, 28879, 8},
        Row{{1'000'000, 1e-6}, 101568, 8, 95028, 8}}) {
    EXPECT_EQ(*block_shape_for(row.goal), (BlockShape{row.blocks, row.probes, false}));
    EXPECT_EQ(*block_shape_for(row.goal, true),
              (BlockShape{row.seeded_blocks, row.seeded_probes, true}));
  }
}

// What the simulations of this file agreed with, to more digits than they can tell.
TEST(BlockSizing, RatesAndTheirDeviationsStayTheSame) {
  struct Row {
    double load;
    std::uint32_t probes;
    double rate, deviation, seeded_rate, seeded_deviation;
  };
  constexpr Row kRows[] = {
      {0.25, 4, 2.87701134053e-09, 5.44759677679e-10, 2.77574877903e-09, 4.68977772728e-10},
      {3, 4, 1.06450653909e-06, 5.70777740685e-08, 8.75694964018e-07, 4.56441836814e-08},
      {51.2, 4, 0.0127343865184, 5.88767799724e-05, 0.0102717147379, 4.80191219209e-05},
      {20, 5, 0.00024752788685, 4.12705083713e-06, 0.000187158185881, 3.14515491144e-06},
      {150, 5, 0.271945977599, 0.000784938578824, 0.227928848178, 0.000658931343676},
      {3, 6, 2.35793099972e-08, 3.44954882385e-09, 1.71474584447e-08, 2.48062921007e-09},
      {51.2, 6, 0.0097214755977, 7.40690179168e-05, 0.00729184270173, 5.68519362502e-05},
      {20, 7, 8.68832127777e-05, 2.60840069514e-06, 6.0943925228e-05, 1.85685443451e-06},
      {150, 7, 0.386212074676, 0.00120575471215, 0.323310257819, 0.00100945729313},
      {51.2, 8, 0.0104898260207, 0.000106140022576, 0.00768429072475, 8.03031672892e-05},
      {1000, 8, 0.999998690099, 4.52408902973e-06, 0.999773255811, 4.53428408527e-06}};
  constexpr std::uint64_t kBlocks = 1000;
  // The numbers were computed in x86's long double. A longer one cancels fewer digits at load 1000.
  constexpr double kClose = std::numeric_limits<long double>::digits == 64 ? 1e-7 : 1.1e-7;
  const auto expect_close = [](double value, double expected, const Row& row) {
    EXPECT_NEAR(value / expected, 1, kClose) << row.probes << " probes, load " << row.load;
  };
  for (const Row& row : kRows) {
    const BlockShape plain{kBlocks, row.probes};
    const BlockShape seeded{kBlocks, row.probes, true};
    expect_close(expected_rate(plain, kBlocks * row.load), row.rate, row);
    expect_close(rate_deviation(plain, kBlocks * row.load), row.deviation, row);
    expect_close(expected_rate(seeded, kBlocks * row.load), row.seeded_rate, row);
    expect_close(rate_deviation(seeded, kBlocks * row.load), row.seeded_deviation, row);
  }
}

TEST(BlockSizing, MoreKeysOrARarerErrorNeverNeedFewerBlocks) {
  for (const bool seeded : {false, true}) {
    std::uint64_t last = 0;
    for (double keys = 1; keys < 1e12; keys *= 3.7) {
      const auto shape = block_shape_for({static_cast<std::uint64_t>(keys), 0.01}, seeded);
      ASSERT_TRUE(shape) << keys;
      EXPECT_GE(shape->blocks, last) << keys;
      EXPECT_LE(expected_rate(*shape, std::floor(keys)), 0.01) << keys;
      EXPECT_EQ(shape->seeded, seeded);
      last = shape->blocks;
    }
    last = 0;
    for (double rate = 0.9; rate > 1e-9; rate /= 2.9) {
      const auto shape = block_shape_for({100'000, rate}, seeded);
      ASSERT_TRUE(shape) << rate;
      EXPECT_GE(shape->blocks, last) << rate;
      EXPECT_LE(expected_rate(*shape, 100'000), rate);
      last = shape->blocks;
    }
  }
}

void expect_refused(const Result<BlockShape>& shape, std::string_view reason) {
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(shape.error().message.find(reason), std::string::npos) << shape.error().message;
}

TEST(BlockSizing, ImpossibleGoalsAreRefusedWithAReason) {
  EXPECT_TRUE(block_shape_for({1000, 1e-12}));
  expect_refused(block_shape_for({1000, 0.99e-12}), "classic");
  expect_refused(block_shape_for({1000, 0.01}, false, 3), "4 to 8");
  expect_refused(block_shape_for({1000, 0.01}, true, 9), "4 to 8");
  expect_refused(block_shape_for({std::uint64_t{1} << 47, 0.01}), "blocks");
  expect_refused(block_shape_for({UINT64_MAX, 0.01}), "blocks");
  EXPECT_FALSE(block_shape_for({0, 0.01}));
  EXPECT_FALSE(block_shape_for({1000, 0}));
  EXPECT_FALSE(block_shape_for({1000, 1}));
  EXPECT_FALSE(block_shape_for({1000, std::nan("")}));
}

TEST(BlockSizing, ImpossibleShapesAreRefused) {
  EXPECT_TRUE(checked(BlockShape{1, 4}));
  EXPECT_TRUE(checked(BlockShape{kMaxBlocks, 8, true}));
  expect_refused(checked(BlockShape{0, 8}), "0 were asked for");
  expect_refused(checked(BlockShape{kMaxBlocks + 1, 8}), "blocks");
  expect_refused(checked(BlockShape{1, 3}), "probes");
  expect_refused(checked(BlockShape{1, 9}), "probes");
  EXPECT_EQ((BlockShape{10, 8}).bytes(), 640U);
  EXPECT_EQ((BlockShape{10, 8, true}).bytes(), 650U);
  EXPECT_EQ((BlockShape{10, 8, true}).bits(), 5120U);
}

TEST(BlockSizing, RoundingLeavesRoomToFoldAndAddsLittle) {
  std::uint64_t last = 0;
  for (std::uint64_t blocks = 1; blocks < 40'000; ++blocks) {
    std::uint64_t multiple = 1;  // min(64, the largest power of two <= blocks / 128)
    while (multiple < 64 && multiple * 2 * 128 <= blocks) multiple *= 2;
    const std::uint64_t rounded = rounded_for_folding(blocks);
    ASSERT_EQ(rounded % multiple, 0U) << blocks;
    ASSERT_LT(rounded - blocks, multiple) << blocks;
    ASSERT_LE(static_cast<double>(rounded), 1.008 * static_cast<double>(blocks)) << blocks;
    ASSERT_GE(rounded, last);
    last = rounded;
  }
  EXPECT_EQ(rounded_for_folding((std::uint64_t{1} << 38) + 1), (std::uint64_t{1} << 38) + 64);
  EXPECT_EQ(block_shape_for({1'000'000, 0.01})->blocks % 64, 0U);
}

TEST(BlockSizing, OneLineSuitsUntilItCostsFifteenPercent) {
  EXPECT_FALSE(block_layout_suits(0.5));  // classic filters have one probe there, ours four
  EXPECT_TRUE(block_layout_suits(0.25));
  EXPECT_TRUE(block_layout_suits(0.01));
  EXPECT_TRUE(block_layout_suits(1e-3));
  EXPECT_FALSE(block_layout_suits(1e-4));
  EXPECT_FALSE(block_layout_suits(1e-9));
  EXPECT_FALSE(block_layout_suits(1e-13));
  // The description's bits per key, where the rate is met in the mean.
  for (const auto& [rate, bits] : {std::pair{1e-3, 15.7}, {1e-4, 23.6}, {1e-5, 35.0}, {1e-6, 51.9}})
    EXPECT_NEAR(expected_rate(BlockShape{1'000'000, 8}, 512e6 / bits), rate, 0.03 * rate);
}

TEST(BlockSizing, TheMostKeysAreWhereTheRateIsReached) {
  for (const BlockShape shape : {BlockShape{1, 4}, {3, 8}, {1000, 6}, {12'345, 8, true}})
    for (const double rate : {1e-7, 1e-3, 0.01, 0.3, 0.99}) {
      const std::uint64_t keys = max_keys(shape, rate);
      const auto count = static_cast<double>(keys);
      EXPECT_LE(expected_rate(shape, count), rate);
      EXPECT_GT(expected_rate(shape, count + 1), rate);
    }
  EXPECT_EQ(max_keys(BlockShape{1, 4}, 1e-9), 0U);
  EXPECT_GT(max_keys(BlockShape{1, 4}, 1), 1000U);
  const auto shape = block_shape_for({100'000, 0.01});
  EXPECT_GE(max_keys(*shape, 0.01), 100'000U);
  EXPECT_LE(max_keys(*shape, 0.01), 101'500U);
}

// How many of so many filters, each with a hash of its own, err more often than asked for; their
// rates are exact, so nothing is left to chance but the filters themselves. Stops when too many do.
int filters_above(BlockShape shape, std::uint64_t keys, double rate, int filters, int too_many) {
  int above = 0;
  std::vector<Hash128> hashes(keys);
  for (int seed = 0; seed < filters && above < too_many; ++seed) {
    std::mt19937_64 random{static_cast<std::uint64_t>(seed)};
    for (Hash128& hash : hashes) hash = {random(), random()};
    BlockFilter filter{shape};
    filter.insert_batch(std::span<const Hash128>{hashes});
    above += filter.health().error_rate > rate ? 1 : 0;
  }
  return above;
}

class BlockGoal : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Rates, BlockGoal, ::testing::Values(0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6));

constexpr std::uint64_t kManyKeys = 100'000;

TEST_P(BlockGoal, IsKeptByNineteenOfTwentyFilters) {
  const int filters = testing::full_run() ? 400 : 40;
  const auto shape = block_shape_for({kManyKeys, GetParam()});
  ASSERT_TRUE(shape);
  EXPECT_LE(filters_above(*shape, kManyKeys, GetParam(), filters, filters), filters / 20);
}

TEST_P(BlockGoal, IsKeptByNineteenOfTwentySeededFilters) {
  const int filters = testing::full_run() ? 200 : 20;
  const auto shape = block_shape_for({kManyKeys, GetParam()}, true);
  ASSERT_TRUE(shape);
  int above = 0;
  for (int seed = 0; seed < filters; ++seed) {
    std::mt19937_64 random{static_cast<std::uint64_t>(seed)};
    above += simulated_seeded_rate(*shape, kManyKeys, random) > GetParam() ? 1 : 0;
  }
  EXPECT_LE(above, filters / 20);
}

// Nor, with other probes, with as many fewer as the choice of eight may cost.
TEST_P(BlockGoal, IsNotKeptWithOnePercentFewerBits) {
  const int filters = testing::full_run() ? 400 : 40;
  const auto shape = block_shape_for({kManyKeys, GetParam()});
  ASSERT_TRUE(shape);
  for (std::uint32_t probes = block::kFewestProbes; probes <= block::kMostProbes; ++probes) {
    const double price = probes == shape->probes ? 1.01 : 1.01 * 1.03;
    const auto fewer = static_cast<std::uint64_t>(static_cast<double>(shape->blocks) / price);
    EXPECT_GT(filters_above({fewer, probes}, kManyKeys, GetParam(), filters, filters / 20 + 1),
              filters / 20)
        << probes << " probes";
  }
}

}  // namespace
}  // namespace bloomery
