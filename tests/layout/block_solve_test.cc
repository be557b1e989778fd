#include "bloomery/layout/block_solve.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(BlockSolve, KeysAndRateTakeTheShapeForTheGoal) {
  const auto solved = solve_block({.keys = 1000000, .rate = 0.01});
  ASSERT_TRUE(solved) << solved.error().message;
  EXPECT_EQ(solved->shape, *block_shape_for({1000000, 0.01}));
  EXPECT_EQ(solved->goal, (Goal{1000000, 0.01}));
  EXPECT_EQ(solve_block({.keys = 1000000, .rate = 0.01, .probes = 8})->shape.probes, 8U);
  EXPECT_EQ(solve_block({.keys = 1000, .rate = 0.01}, true)->shape,
            *block_shape_for({1000, 0.01}, true));
}

TEST(BlockSolve, KeysAndBlocksTakeTheBestProbesAndTellTheRate) {
  const auto solved = solve_block({.keys = 10000, .blocks = 200});
  ASSERT_TRUE(solved) << solved.error().message;
  EXPECT_EQ(solved->shape, (BlockShape{200, best_block_probes(200, 10000)}));
  EXPECT_EQ(solved->goal.false_positive_rate, expected_rate(solved->shape, 10000));
  EXPECT_EQ(solve_block({.keys = 10000, .probes = 4, .blocks = 200})->shape.probes, 4U);
}

TEST(BlockSolve, BitsAreRoundedUpToWholeBlocks) {
  EXPECT_EQ(solve_block({.keys = 10, .bits = 1})->shape.blocks, 1U);
  EXPECT_EQ(solve_block({.keys = 10, .bits = 512})->shape.blocks, 1U);
  EXPECT_EQ(solve_block({.keys = 10, .bits = 513})->shape.blocks, 2U);
  EXPECT_EQ(solve_block({.keys = 1000, .bits_per_key = 10.0})->shape.blocks, 20U);
}

TEST(BlockSolve, BitsPerKeyCountTheSeeds) {
  const auto seeded = solve_block({.keys = 52000, .bits_per_key = 10.0}, true);
  ASSERT_TRUE(seeded);
  EXPECT_EQ(seeded->shape.bytes() * 8, 520000U);
  EXPECT_EQ(solve_block({.bits = 512000, .bits_per_key = 10.0})->goal.keys, 51200U);
}

TEST(BlockSolve, BlocksAndRateLeaveRoomForTheMostKeys) {
  const auto solved = solve_block({.rate = 0.01, .blocks = 1000});
  ASSERT_TRUE(solved) << solved.error().message;
  for (std::uint32_t probes = 4; probes <= 8; ++probes)
    EXPECT_GE(solved->goal.keys, max_keys(BlockShape{1000, probes}, 0.01));
  EXPECT_EQ(solved->goal.keys, max_keys(solved->shape, 0.01));
  EXPECT_EQ(solve_block({.rate = 0.01, .probes = 8, .blocks = 1000})->goal.keys,
            max_keys(BlockShape{1000, 8}, 0.01));
}

TEST(BlockSolve, WhatContradictsItselfIsRefused) {
  EXPECT_FALSE(solve_block({.keys = 1000, .rate = 0.001, .blocks = 2}));
  EXPECT_TRUE(solve_block({.keys = 1000, .rate = 0.5, .blocks = 20}));
  EXPECT_FALSE(solve_block({.keys = 1000, .bits = 1024, .blocks = 3}));
  EXPECT_TRUE(solve_block({.keys = 1000, .bits = 1024, .blocks = 2}));
  EXPECT_FALSE(solve_block({.keys = 1000, .bits = 1024, .bits_per_key = 10.0}));
  EXPECT_FALSE(solve_block({.rate = 1e-11, .blocks = 1}));  // not even one key
}

TEST(BlockSolve, WhatIsTooLittleOrOutOfRangeIsRefused) {
  const SizingRequest requests[] = {{},
                                    {.keys = 5},
                                    {.rate = 0.01},
                                    {.bits = 512},
                                    {.blocks = 3},
                                    {.bits_per_key = 3.0},
                                    {.keys = 0, .rate = 0.01},
                                    {.keys = 5, .rate = 0.0},
                                    {.keys = 5, .rate = 1.0},
                                    {.keys = 5, .rate = 0.01, .probes = 3},
                                    {.keys = 5, .rate = 0.01, .probes = 9},
                                    {.keys = 5, .bits = 0},
                                    {.keys = 5, .blocks = 0},
                                    {.keys = 5, .bits = kMaxBits + 1},
                                    {.keys = 5, .blocks = UINT64_MAX},
                                    {.keys = UINT64_MAX, .bits_per_key = 1e6},
                                    {.keys = 5, .bits_per_key = -1.0}};
  for (const SizingRequest& request : requests) {
    const auto solved = solve_block(request);
    ASSERT_FALSE(solved);
    EXPECT_EQ(solved.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(solved.error().message.empty());
  }
}

TEST(BlockSolve, WhatIsMissingIsNamed) {
  const std::pair<SizingRequest, std::string> requests[] = {
      {{}, "nothing sizes the filter: give two of keys, rate and bits"},
      {{.keys = 5}, "the keys alone do not size a filter: give the rate or the bits"},
      {{.rate = 0.01}, "the rate alone does not size a filter: give the keys or the bits"},
      {{.bits = 512}, "the bits alone do not size a filter: give the keys or the rate"},
      {{.blocks = 3}, "the bits alone do not size a filter: give the keys or the rate"},
      {{.bits_per_key = 3.0},
       "the bits per key do not size a filter alone: give the keys or the bits"},
      {{.rate = 0.01, .bits_per_key = 3.0},
       "the bits per key do not size a filter alone: give the keys or the bits"}};
  for (const auto& [request, reason] : requests) {
    const auto solved = solve_block(request);
    ASSERT_FALSE(solved) << reason;
    EXPECT_EQ(solved.error().message, reason);
  }
}

// The bits that were asked for are named, and not the blocks that they would have been: 2^64 - 1
// bits would wrap to none.
TEST(BlockSolve, BitsThatNoFilterHasAreNamedInTheError) {
  for (const std::uint64_t bits : {std::uint64_t{0}, kMaxBits + 1, UINT64_MAX}) {
    const auto solved = solve_block({.keys = 5, .bits = bits});
    ASSERT_FALSE(solved);
    EXPECT_EQ(solved.error().message,
              "a filter has 1 to 2^48 bits, and " + std::to_string(bits) + " were asked for");
  }
  EXPECT_TRUE(solve_block({.keys = 5, .bits = kMaxBits}));
}

}  // namespace
}  // namespace bloomery
