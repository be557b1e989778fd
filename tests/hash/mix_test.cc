#include "bloomery/hash/mix.h"

#include <set>

#include "tests/hash/hash_inputs.h"

namespace bloomery {
namespace {

TEST(Mix, FollowsItsFormulaStepByStep) {
  const test::Bytes words = test::varied_bytes(1600);
  for (std::size_t i = 0; i < words.size(); i += 16) {
    const auto key = load_le<std::uint64_t>(words.data() + i);
    const auto seed = load_le<std::uint64_t>(words.data() + i + 8);
    std::uint64_t x = key;
    x ^= seed;
    x *= 0xBEA225F9EB34556D;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93;
    ASSERT_EQ(mix_u64(key, seed), (Hash128{x, (x ^ (x >> 32)) * 0x9E3779B97F4A7C15}));
  }
}

TEST(Mix, TakesZeroToZero) { EXPECT_EQ(mix_u64(0, 0), (Hash128{0, 0})); }

TEST(Mix, IsConstexpr) { static_assert(mix_u64(1, 0) == mix_u64(0, 1)); }

// The top bits of the place choose the block: shifted integers must spread over them.
TEST(Mix, SpreadsShiftedIntegersOverBlocks) {
  for (const unsigned shift : {0u, 8u, 16u, 32u}) {
    std::set<std::uint64_t> blocks;
    for (std::uint64_t i = 0; i < 4096; ++i) blocks.insert(mix_u64(i << shift, 0).low >> 52);
    // 4096 keys thrown at random into 4096 blocks hit 2589 of them, give or take 30.
    EXPECT_GT(blocks.size(), 2400u) << shift;
  }
}

}  // namespace
}  // namespace bloomery
