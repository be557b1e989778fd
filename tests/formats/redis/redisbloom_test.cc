#include "bloomery/formats/redis/redisbloom.h"

#include "bloomery/formats/redis/redisbloom_layer.h"
#include "tests/formats/golden.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::to_hex;

CreateOptions sized(std::uint64_t keys, double rate, std::uint32_t expansion = 2) {
  CreateOptions options;
  options.sizing.keys = keys;
  options.sizing.rate = rate;
  options.expansion = expansion;
  return options;
}
RedisBloomFilter made(std::uint64_t keys, double rate, std::uint32_t expansion = 2) {
  auto filter = create_redisbloom(sized(keys, rate, expansion));
  EXPECT_TRUE(filter) << filter.error().message;
  return std::move(*filter);
}
bool add(RedisBloomFilter& filter, std::string_view key) {
  const auto added = filter.insert(bytes_of(key));
  EXPECT_TRUE(added) << added.error().message;
  return added && *added;
}

TEST(RedisBloom, TheHashesAreThePeers) {
  struct {
    const char* key;
    std::uint64_t first, second;
  } const vectors[] = {
      {"", 0x1ab11ea5a7b2c56e, 0xbbddcb5ab56dd547},
      {"a", 0x4292cee227b9150a, 0x7e9b527031f50c11},
      {"foo", 0x822b4f99b121f10d, 0x9d63d52a557f61c2},
      {"hello world", 0xbae8fb35317acde1, 0xa5c3078260d44436},
      {"key:0123456789abcdef", 0x0d0d66b50b80efc3, 0x941b861b680cc244},
  };
  for (const auto& vector : vectors) {
    const auto digest = RedisBloom{}.digest(bytes_of(vector.key));
    EXPECT_EQ(digest.first, vector.first) << vector.key;
    EXPECT_EQ(digest.second, vector.second) << vector.key;
  }
}

// They stand in files, so that another number would be another filter.
TEST(RedisBloom, TheOptionsAreThePeers) {
  EXPECT_EQ(kRedisBloomNoRounding, 1U);
  EXPECT_EQ(kRedisBloomEntryIsBits, 2U);
  EXPECT_EQ(kRedisBloomWideHash, 4U);
  EXPECT_EQ(kRedisBloomNonScaling, 8U);
  EXPECT_EQ(kRedisBloomAllOptions, 15U);
}

TEST(RedisBloom, TwoKeysSetThePeersBits) {
  RedisBloomFilter filter = made(10, 0.01);
  EXPECT_TRUE(add(filter, "foo"));
  EXPECT_TRUE(add(filter, "bar"));
  EXPECT_FALSE(add(filter, "bar"));
  ASSERT_EQ(filter.layers().size(), 1U);
  EXPECT_EQ(filter.layers()[0].filter.shape(), (Shape{128, 8}));
  EXPECT_EQ(to_hex(filter.layers()[0].bits()), "08202a02080008000880880808000800");
  EXPECT_EQ(filter.options(), 5U);
  EXPECT_EQ(filter.keys_inserted(), 2U);
  EXPECT_TRUE(filter.may_contain(bytes_of("foo")));
  EXPECT_FALSE(filter.may_contain(bytes_of("baz")));
}

void check_growth(const RedisBloomFilter& filter) {
  const std::uint64_t keys[] = {10, 20, 40, 80};
  const std::size_t bytes[] = {16, 32, 72, 160};
  ASSERT_EQ(filter.layers().size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(filter.layers()[i].goal_keys, keys[i]);
    EXPECT_EQ(filter.layers()[i].bits().size(), bytes[i]);
    EXPECT_EQ(filter.layers()[i].filter.shape().probes, 8 + i);
  }
  EXPECT_EQ(filter.keys_inserted(), 99U);  // one of a hundred met a false positive
}

TEST(RedisBloom, GrowthMatchesThePeerOneKeyAtATimeAndInABatch) {
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.push_back(std::to_string(i));
  RedisBloomFilter one_by_one = made(10, 0.01);
  std::vector<std::uint8_t> expected;
  for (const auto& text : texts) expected.push_back(add(one_by_one, text) ? 1 : 0);
  check_growth(one_by_one);

  std::vector<ByteView> keys;
  for (const auto& text : texts) keys.push_back(bytes_of(text));
  RedisBloomFilter batch = made(10, 0.01);
  std::vector<std::uint8_t> is_new(100);
  const auto added = batch.insert_batch(keys, is_new);
  ASSERT_TRUE(added);
  EXPECT_EQ(*added, 99U);
  EXPECT_EQ(is_new, expected);
  EXPECT_EQ(batch, one_by_one);

  std::vector<std::uint8_t> answers(100);
  batch.may_contain_batch(keys, answers);
  EXPECT_EQ(std::ranges::count(answers, 1), 100);
  std::vector<std::string> absent;
  for (int i = 1000; i < 3000; ++i) absent.push_back("absent" + std::to_string(i));
  keys.clear();
  for (const auto& text : absent) keys.push_back(bytes_of(text));
  answers.assign(keys.size(), 7);
  batch.may_contain_batch(keys, answers);
  for (std::size_t i = 0; i < keys.size(); ++i)
    EXPECT_EQ(answers[i] == 1, batch.may_contain(keys[i])) << absent[i];
  EXPECT_LT(std::ranges::count(answers, 1), 40);  // asked for 1 %
}

// Or the newest layer would fill with keys that the filter has already.
TEST(RedisBloom, AKeyOfAnyOlderLayerIsNotNewWhileTheNewestHasRoom) {
  RedisBloomFilter filter = made(10, 0.01);
  std::vector<std::string> texts;
  while (filter.layers().size() < 3) {
    texts.push_back(std::to_string(texts.size()));
    add(filter, texts.back());
    const std::uint64_t keys = filter.keys_inserted();
    for (const auto& text : texts) EXPECT_FALSE(add(filter, text)) << text;
    std::vector<ByteView> again;
    for (const auto& text : texts) again.push_back(bytes_of(text));
    EXPECT_EQ(*filter.insert_batch(again), 0U);
    EXPECT_EQ(filter.keys_inserted(), keys);
  }
  EXPECT_EQ(filter.layers()[2].keys_inserted(), 1U);
}

TEST(RedisBloom, AFilterThatDoesNotGrowRefusesANewKeyWhenFull) {
  RedisBloomFilter filter = made(3, 0.01, 0);
  EXPECT_EQ(filter.options(), 13U);
  EXPECT_EQ(filter.growth(), 2U);
  EXPECT_EQ(filter.layers()[0].rate, 0.01);
  for (const char* key : {"a", "b", "c"}) EXPECT_TRUE(add(filter, key));
  EXPECT_FALSE(add(filter, "a"));
  const auto full = filter.insert(bytes_of("q"));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(full.error().message, "non scaling filter is full");

  const ByteView keys[] = {bytes_of("a"), bytes_of("q"), bytes_of("b")};
  std::uint8_t is_new[3] = {9, 9, 9};
  EXPECT_FALSE(filter.insert_batch(keys, is_new));
  EXPECT_EQ(is_new[0], 0);
  EXPECT_EQ(is_new[2], 0);
  EXPECT_FALSE(filter.may_contain(bytes_of("q")));
  EXPECT_EQ(filter.keys_inserted(), 3U);
}

TEST(RedisBloom, SizesFollowThePeersConstants) {
  EXPECT_EQ(RedisBloom::shape_for({100, 0.005})->bits, 1152U);   // the default filter: 144 bytes
  EXPECT_EQ(RedisBloom::shape_for({100, 0.0005})->bits, 1600U);  // RESERVE 0.001 100: 200 bytes
  EXPECT_EQ(RedisBloom::shape_for({1, 0.5})->bits, 64U);
  EXPECT_EQ(made(100, 0.9).layers()[0].rate, 0.125);  // a rate above 0.25 becomes 0.25
  EXPECT_EQ(made(100, 0.9, 0).layers()[0].rate, 0.25);
}

TEST(RedisBloom, CreateRefusesWhatThePeerRefuses) {
  EXPECT_FALSE(create_redisbloom({}));
  EXPECT_FALSE(create_redisbloom(sized(0, 0.01)));
  EXPECT_FALSE(create_redisbloom(sized((1U << 30) + 1, 0.01)));
  EXPECT_FALSE(create_redisbloom(sized(10, 0)));
  EXPECT_FALSE(create_redisbloom(sized(10, 1)));
  EXPECT_FALSE(create_redisbloom(sized(10, 0.01, 32769)));
  auto options = sized(1 << 20, 0.01);
  options.limits.max_bytes = 1 << 20;
  EXPECT_EQ(create_redisbloom(options).error().code, ErrorCode::kTooLarge);
}

TEST(RedisBloom, GrowthStopsAtTheLimit) {
  auto options = sized(10, 0.01, 32768);
  options.limits.max_bytes = 64;
  auto filter = create_redisbloom(options);
  ASSERT_TRUE(filter);
  for (int i = 0; i < 10; ++i) add(*filter, std::to_string(i));
  const auto grown = filter->insert(bytes_of("one more"));
  ASSERT_FALSE(grown);
  EXPECT_EQ(grown.error().code, ErrorCode::kTooLarge);
  EXPECT_NE(grown.error().message, kRedisBloomFull);
}

TEST(RedisBloom, MergeJoinsLayersOfEqualShapeAndRefusesOthers) {
  RedisBloomFilter a = made(100, 0.01);
  RedisBloomFilter b = made(100, 0.01);
  add(a, "left");
  add(b, "right");
  EXPECT_FALSE(*b.is_subset_of(a));
  const RedisBloomFilter before = a.clone();
  ASSERT_TRUE(a.merge(b));
  EXPECT_TRUE(a.may_contain(bytes_of("left")) && a.may_contain(bytes_of("right")));
  EXPECT_EQ(a.keys_inserted(), 2U);
  EXPECT_TRUE(*b.is_subset_of(a));
  EXPECT_FALSE(before.may_contain(bytes_of("right")));
  EXPECT_FALSE(a == before);
  EXPECT_FALSE(a.merge(made(101, 0.001)));
  for (int i = 0; i < 150; ++i) add(b, std::to_string(i));
  ASSERT_EQ(b.layers().size(), 2U);
  EXPECT_FALSE(a.merge(b));
}

TEST(RedisBloom, HealthCombinesTheLayers) {
  RedisBloomFilter filter = made(1000, 0.01);
  EXPECT_EQ(filter.health().verdict, Verdict::kOk);
  EXPECT_EQ(filter.health().error_rate, 0);
  for (int i = 0; i < 2500; ++i) add(filter, std::to_string(i));
  ASSERT_EQ(filter.layers().size(), 2U);
  const double first = filter.layers()[0].health().error_rate;
  const double second = filter.layers()[1].health().error_rate;
  const Health health = filter.health();
  EXPECT_NEAR(health.error_rate, 1 - (1 - first) * (1 - second), 1e-12);
  EXPECT_GT(health.error_rate, first);
  EXPECT_EQ(health.verdict, Verdict::kOk);
  EXPECT_NEAR(health.estimated_keys, 2500, 60);
  EXPECT_EQ(filter.goal(), (Goal{3000, 0.01}));
  const Description description = describe(filter);
  EXPECT_EQ(description.layout, "scalable");
  EXPECT_EQ(description.layers.size(), 2U);
  EXPECT_EQ(description.keys_inserted, filter.keys_inserted());
}

// The narrow hash calculates in 64 bits for a plain modulus, and a power of two only keeps low
// bits.
TEST(RedisBloom, OldDialectsProbeByTheirOwnModulus) {
  const RedisBloom narrow{false, 0};
  const auto digest = narrow.digest(bytes_of("foo"));
  EXPECT_LE(digest.first, UINT32_MAX);
  EXPECT_LE(digest.second, UINT32_MAX);
  const Modulus bits{1000};
  EXPECT_EQ(narrow.probe(digest, 7, bits), (digest.first + 7 * digest.second) % 1000);
  const RedisBloom powered{false, 10};
  const auto in_32_bits =
      static_cast<std::uint32_t>(digest.first) + 7 * static_cast<std::uint32_t>(digest.second);
  EXPECT_EQ(powered.probe(digest, 7, Modulus{2048}), in_32_bits % 1024);
  EXPECT_NE(RedisBloom{}.digest(bytes_of("foo")).first, digest.first);
}

// A header may claim a layer for so many keys that the next has no place in any memory.
TEST(RedisBloom, GrowthThatNoFilterCouldReachIsRefusedWithItsReason) {
  const auto refusal = [](std::uint64_t keys, std::uint32_t growth) {
    RedisBloomHeader header = made(10, 0.01).header();
    header.growth = growth;
    header.layers[0].goal_keys = header.layers[0].keys_inserted = header.keys_inserted = keys;
    auto filter = RedisBloomFilter::from_header(header);
    EXPECT_TRUE(filter) << filter.error().message;
    const auto added = filter->insert(bytes_of("new"));
    EXPECT_EQ(added.error().code, ErrorCode::kTooLarge);
    return added.error().message;
  };
  EXPECT_EQ(refusal((kMaxBits >> 1) + 1, 2),
            "the filter cannot grow from 140737488355329 keys by a factor of 2");
  EXPECT_TRUE(refusal(kMaxBits >> 1, 2).starts_with("the filter cannot grow: "));
  EXPECT_EQ(refusal(10, 0), "the filter cannot grow from 10 keys by a factor of 0");
}

TEST(RedisBloomFilter, ANewLimitHoldsForTheNextLayer) {
  auto filter = RedisBloomFilter::for_goal({10, 0.01});
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->growth(), 2U);
  filter->set_limits({16});
  std::size_t refused = 0;
  for (int i = 0; i < 30; ++i) refused += filter->insert(bytes_of(std::to_string(i))) ? 0 : 1;
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(filter->layers().size(), 1U);
  filter->set_limits({16 + 32});
  EXPECT_TRUE(filter->insert(bytes_of("another")));
  EXPECT_EQ(filter->layers().size(), 2U);
}

}  // namespace
}  // namespace bloomery
