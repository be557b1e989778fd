#include "bloomery/filter/block/part.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bloomery/filter/block/block.h"
#include "bloomery/filter/seeded/builder.h"
#include "tests/filter/many_keys.h"
#include "tests/filter/random_hashes.h"

namespace bloomery {
namespace {

using testing::ManyKeys;
using testing::random_hashes;
using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kParts[] = {1, 2, 3, 7, 64, 4096};

BlockFilter whole_of(BlockShape shape, std::span<const Hash128> keys) {
  BlockFilter filter{shape};
  filter.insert_batch(keys);
  return filter;
}

BlockPart part_of(BlockShape shape, Part part, std::span<const Hash128> keys) {
  auto made = BlockPart::create(shape, part);
  EXPECT_TRUE(made);
  std::vector<std::uint8_t> is_new(keys.size());
  made->insert_batch(keys, is_new);
  return std::move(*made);
}

std::vector<BlockPart> all_parts(BlockShape shape, std::uint32_t count,
                                 std::span<const Hash128> keys) {
  std::vector<BlockPart> parts;
  for (std::uint32_t i = 0; i < count; ++i) parts.push_back(part_of(shape, {i, count}, keys));
  return parts;
}

// The blocks of all parts, then the seeds of all.
Bytes joined(std::span<const BlockPart> parts) {
  Bytes blocks;
  Bytes seeds;
  for (const BlockPart& part : parts) {
    const ByteView own = part.view().blocks();
    const ByteView rest = part.bytes().subspan(own.size());
    blocks.insert(blocks.end(), own.begin(), own.end());
    seeds.insert(seeds.end(), rest.begin(), rest.end());
  }
  blocks.insert(blocks.end(), seeds.begin(), seeds.end());
  return blocks;
}

Bytes bytes_in(const BlockFilter& filter) {
  const ByteView bytes = filter.bytes();
  return {bytes.begin(), bytes.end()};
}

// Every part asked, as a set does: maybe only where all say so.
double rate_of(std::span<const BlockPart> parts, std::span<const Hash128> absent) {
  std::vector<std::uint8_t> all(absent.size(), 1);
  std::vector<std::uint8_t> answers(absent.size());
  for (const BlockPart& part : parts) {
    part.may_contain_batch(absent, answers);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] &= answers[i];
  }
  return static_cast<double>(std::ranges::count(all, 1)) / static_cast<double>(all.size());
}

void expect_rate(double measured, BlockShape shape, std::size_t keys, std::size_t asked) {
  const double expected = expected_rate(shape, static_cast<double>(keys));
  const double noise = 5 * std::sqrt(expected / static_cast<double>(asked));
  EXPECT_NEAR(measured, expected, 0.1 * expected + noise);
}

class PartOfShape : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(PartOfShape, PartsTogetherAreTheFilterThatOneBuilderMakes) {
  constexpr std::size_t kKeys = 50'000;
  const BlockShape shape{kKeys / 40, GetParam()};
  const BlockShape large{5000, GetParam()};
  const auto keys = random_hashes(kKeys, 1);
  for (const std::uint32_t count : kParts) {
    const BlockShape used = count > shape.blocks ? large : shape;
    const auto absent = random_hashes(count > 64 ? 5000 : 100'000, 2);
    const auto parts = all_parts(used, count, keys);
    EXPECT_EQ(joined(parts), bytes_in(whole_of(used, keys))) << count;
    expect_rate(rate_of(parts, absent), used, kKeys, absent.size());
  }
}
INSTANTIATE_TEST_SUITE_P(Probes, PartOfShape, ::testing::Values(4, 6, 8, 16, 24, 32));

// The mistake that this class exists to avoid: the same keys in a filter of a part's size fall
// into 1/N of its blocks.
TEST(BlockPart, AnOrdinaryFilterOfRoutedKeysWouldAnswerMaybeToAlmostAll) {
  constexpr std::size_t kKeys = 100'000;
  constexpr std::uint32_t kCount = 12;
  const BlockShape shape{kKeys / 40, 6};
  const auto keys = random_hashes(kKeys, 1);
  const auto absent = random_hashes(100'000, 2);
  const BlockPart part = part_of(shape, {3, kCount}, keys);
  BlockFilter wrong{{shape.blocks / kCount, 6}};
  std::size_t routed = 0;
  for (const Hash128 key : keys)
    if (part.holds(key)) wrong.insert(key), ++routed;
  std::size_t wrong_maybes = 0;
  std::size_t maybes = 0;
  std::size_t asked = 0;
  for (const Hash128 key : absent) {
    if (!part.holds(key)) continue;
    ++asked;
    wrong_maybes += wrong.may_contain(key) ? 1 : 0;
    maybes += part.may_contain(key) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(routed), kKeys / double{kCount}, 500);
  EXPECT_GT(static_cast<double>(wrong_maybes), 0.9 * static_cast<double>(asked));
  EXPECT_LT(static_cast<double>(maybes), 0.03 * static_cast<double>(asked));
}

TEST(BlockPart, KeysWithOneLineBelongToExactlyOnePart) {
  const BlockShape shape{2500, 6};
  const auto parts = all_parts(shape, 7, {});
  for (const Hash128 key : random_hashes(10'000, 3)) {
    EXPECT_EQ(std::ranges::count_if(parts, [&](const auto& part) { return part.holds(key); }), 1);
  }
}

TEST(BlockPart, KeysOfOtherPartsChangeNothingAndMayBeContained) {
  const BlockShape shape{2500, 6};
  auto part = part_of(shape, {2, 7}, {});
  for (const Hash128 key : random_hashes(10'000, 3)) {
    if (part.holds(key)) {
      EXPECT_FALSE(part.may_contain(key));
      continue;
    }
    EXPECT_TRUE(part.may_contain(key));
    EXPECT_FALSE(part.insert(key));
  }
  EXPECT_EQ(part, part_of(shape, {2, 7}, {}));
  EXPECT_EQ(part.provenance().keys_inserted, 0U);
}

TEST(BlockPart, CountsNewKeysAsTheWholeFilterDoes) {
  auto keys = random_hashes(20'000, 4);
  keys.insert(keys.end(), keys.begin(), keys.begin() + 5000);
  const BlockShape shape{300, 6};
  std::uint64_t sum = 0;
  for (const BlockPart& part : all_parts(shape, 7, keys)) sum += *part.provenance().keys_inserted;
  EXPECT_EQ(sum, whole_of(shape, keys).provenance().keys_inserted);
  const BlockShape lines{300, 16};
  EXPECT_EQ(part_of(lines, {0, 7}, keys).provenance().keys_inserted, std::nullopt);
}

TEST(BlockPart, HashesBytesAsTheWholeFilterDoes) {
  const ManyKeys keys{10'000};
  const BlockShape shape{400, 6};
  for (const KeyHash hash : {KeyHash{Hasher{Profile::kXxh3_64, 9}},
                             KeyHash{Hasher{Profile::kAes, 1}}, KeyHash{Hasher{}, true}}) {
    BlockFilter whole{shape, hash};
    whole.insert_batch(keys.views());
    std::vector<BlockPart> parts;
    std::vector<std::uint8_t> answers(keys.size());
    for (std::uint32_t i = 0; i < 3; ++i) {
      auto part = BlockPart::create(shape, {i, 3}, hash);
      ASSERT_TRUE(part);
      part->insert_batch(keys.views(), answers);
      part->may_contain_batch(keys.views(), answers);
      EXPECT_EQ(std::ranges::count(answers, 1), std::ptrdiff_t{10'000});
      parts.push_back(std::move(*part));
    }
    EXPECT_EQ(joined(parts), bytes_in(whole));
  }
}

TEST(BlockPart, SeededPartsAreTheFilterOfOneSeededBuilder) {
  constexpr std::size_t kKeys = 100'000;
  const auto keys = random_hashes(kKeys, 1);
  const auto absent = random_hashes(200'000, 2);
  for (const std::uint32_t count : kParts) {
    const BlockShape shape{count > 2000 ? 5000U : 2000U, 6, true};
    auto builder = SeededBuilder::create(shape, {});
    ASSERT_TRUE(builder);
    ASSERT_TRUE(builder->add(std::span<const Hash128>{keys}));
    const auto whole = builder->finish();
    ASSERT_TRUE(whole);
    std::vector<BlockPart> parts;
    std::uint64_t counted = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      auto own = SeededBuilder::create_part(shape, {i, count}, {});
      ASSERT_TRUE(own);
      ASSERT_TRUE(own->add(std::span<const Hash128>{keys}));
      auto part = own->finish_part();
      ASSERT_TRUE(part);
      counted += *part->provenance().keys_inserted;
      parts.push_back(std::move(*part));
    }
    EXPECT_EQ(joined(parts), bytes_in(*whole)) << count;
    EXPECT_EQ(counted, whole->provenance().keys_inserted);
    expect_rate(rate_of(parts, absent), shape, kKeys, absent.size());
    if (count == 4096) break;
  }
}

TEST(BlockPart, TakesOnlyTheMemoryOfItsBlocks) {
  const BlockShape shape{std::uint64_t{1} << 33, 8};  // 512 GiB
  auto part = BlockPart::create(shape, {16383, 16384});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->bytes().size(), std::size_t{1} << 25);
  const auto keys = random_hashes(500'000, 6);
  std::vector<std::uint8_t> answers(keys.size());
  const std::size_t added = part->insert_batch(keys, answers);
  EXPECT_GT(added, 5U);
  for (const Hash128 key : keys) EXPECT_TRUE(part->may_contain(key));
}

TEST(BlockPart, MergesWithTheSamePartOnly) {
  const BlockShape shape{2500, 6};
  const auto a = random_hashes(1000, 7);
  const auto b = random_hashes(1000, 8);
  auto both = a;
  both.insert(both.end(), b.begin(), b.end());
  auto part = part_of(shape, {1, 3}, a);
  ASSERT_TRUE(part.merge(part_of(shape, {1, 3}, b)));
  EXPECT_EQ(part, part_of(shape, {1, 3}, both));
  EXPECT_EQ(part.merge(part_of(shape, {2, 3}, b)).error().message,
            "part 1 of 3 merges only with the same part of another filter, not with part 2 of 3");
  EXPECT_FALSE(part.merge(part_of({2500, 7}, {1, 3}, b)));
}

TEST(BlockPart, HealthIsThatOfItsBlocks) {
  const BlockShape shape{2500, 6};
  const auto keys = random_hashes(100'000, 1);
  const Health whole = whole_of(shape, keys).health();
  double keys_of_parts = 0;
  for (const BlockPart& part : all_parts(shape, 7, keys)) {
    const Health health = part.health();
    EXPECT_NEAR(health.fill, whole.fill, 0.02);
    EXPECT_NEAR(health.error_rate, whole.error_rate, 0.2 * whole.error_rate);
    keys_of_parts += health.estimated_keys;
  }
  EXPECT_NEAR(keys_of_parts, whole.estimated_keys, 0.01 * whole.estimated_keys);
}

}  // namespace
}  // namespace bloomery
