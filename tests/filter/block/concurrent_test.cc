// One thread at a time: the concurrent filter is the block filter, bit by bit and answer by answer.
// What many threads do to it is tests/concurrency's.
#include "bloomery/filter/block/concurrent.h"

#include <gtest/gtest.h>

#include "tests/filter/many_keys.h"

namespace bloomery {
namespace {

using testing::ManyKeys;

const KeyHash kNumberHash{Hasher{Profile::kAes, 7}, true};

std::vector<std::uint64_t> numbers(std::size_t count) {
  std::vector<std::uint64_t> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = i * 0x9e3779b97f4a7c15;
  return keys;
}

TEST(ConcurrentBlockFilter, AnswersAsTheBlockFilterForEveryNumberOfProbes) {
  const auto keys = numbers(20'000);
  for (std::uint32_t probes = 4; probes <= 8; ++probes) {
    BlockFilter plain{{100, probes}, kNumberHash};
    ConcurrentBlockFilter filter{{100, probes}, kNumberHash};
    for (const std::uint64_t key : keys) {
      EXPECT_EQ(filter.may_contain(key), plain.may_contain(key));
      EXPECT_EQ(filter.insert(key), plain.insert(key));
    }
    EXPECT_TRUE(filter.snapshot() == plain);
    EXPECT_EQ(filter.provenance(), plain.provenance());
    EXPECT_EQ(filter.health().error_rate, plain.health().error_rate);
    EXPECT_EQ(filter.health().estimated_keys, plain.health().estimated_keys);
  }
}

TEST(ConcurrentBlockFilter, BatchesOfAnySizeAnswerAsSingleKeys) {
  const auto keys = numbers(1000);
  for (const std::size_t size : {0U, 1U, 31U, 32U, 33U, 64U, 1000U}) {
    BlockFilter plain{{7, 5}, kNumberHash};
    ConcurrentBlockFilter filter{{7, 5}, kNumberHash};
    const auto some = std::span{keys}.first(size);
    std::vector<std::uint8_t> answers(size);
    std::vector<std::uint8_t> expected(size);
    EXPECT_EQ(filter.insert_batch(some, answers), plain.insert_batch(some, expected));
    EXPECT_EQ(answers, expected);
    EXPECT_EQ(filter.may_contain_batch(std::span{keys}.last(size), answers),
              plain.may_contain_batch(std::span{keys}.last(size), expected));
    EXPECT_EQ(answers, expected);
    EXPECT_EQ(filter.provenance(), plain.provenance());
    EXPECT_EQ(filter.insert_batch(some), 0U);
  }
}

TEST(ConcurrentBlockFilter, BytesAndHashesAreKeysToo) {
  const KeyHash hash{Hasher{Profile::kXxh3, 3}};
  const ManyKeys keys{500};
  auto filter = *ConcurrentBlockFilter::for_goal({500, 0.01}, hash);
  EXPECT_EQ(filter.hash(), hash);
  for (const ByteView key : keys.views().first(100)) filter.insert(key);
  EXPECT_GT(filter.insert_batch(keys.views()), 390U);
  std::vector<Hash128> hashes;
  for (const ByteView key : keys) {
    EXPECT_TRUE(filter.may_contain(key));
    hashes.push_back(hash.digest(key));
    EXPECT_TRUE(filter.may_contain(hashes.back()));
    EXPECT_FALSE(filter.insert(hashes.back()));
  }
  std::vector<std::uint8_t> answers(500);
  EXPECT_EQ(filter.may_contain_batch(std::span<const Hash128>{hashes}, answers), 500U);
  EXPECT_LT(filter.may_contain_batch(ManyKeys{500, "absent"}.views(), answers), 30U);
}

TEST(ConcurrentBlockFilter, BytesOfNumbersAreThoseNumbers) {
  const auto keys = numbers(100);
  ConcurrentBlockFilter filter{{64, 6}, kNumberHash};
  filter.insert_batch(std::span<const std::uint64_t>{keys});
  std::vector<ByteView> views;
  for (const std::uint64_t& key : keys) views.push_back(std::as_bytes(std::span{&key, 1}));
  std::vector<std::uint8_t> answers(100);
  EXPECT_EQ(filter.may_contain_batch(std::span<const ByteView>{views}, answers), 100U);
  EXPECT_FALSE(filter.insert(views[5]));
}

TEST(ConcurrentBlockFilter, MovesFromABlockFilterAndBack) {
  const auto keys = numbers(1000);
  auto plain = *BlockFilter::for_goal({1000, 0.01}, kNumberHash);
  plain.insert_batch(std::span{keys}.first(500));
  BlockFilter expected = plain.clone();
  auto filter = ConcurrentBlockFilter::from(std::move(plain));
  ASSERT_TRUE(filter) << filter.error().message;
  filter->insert_batch(std::span{keys}.last(500));
  expected.insert_batch(std::span{keys}.last(500));
  const BlockFilter back = (*std::move(filter)).into_filter();
  EXPECT_TRUE(back == expected);
  EXPECT_EQ(back.provenance(), expected.provenance());
  EXPECT_TRUE(back.provenance().goal.has_value());
}

TEST(ConcurrentBlockFilter, KeepsAnUnknownNumberOfKeysUnknown) {
  BlockFilter plain{{10, 6}, kNumberHash};
  plain.set_provenance({.goal = {}, .keys_inserted = std::nullopt});
  auto filter = *ConcurrentBlockFilter::from(std::move(plain));
  EXPECT_TRUE(filter.insert(std::uint64_t{1}));
  EXPECT_FALSE(filter.provenance().keys_inserted.has_value());
}

TEST(ConcurrentBlockFilter, RefusesASeededFilter) {
  const auto filter = ConcurrentBlockFilter::from(BlockFilter{{10, 6, true}, kNumberHash});
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace bloomery
