#include "bloomery/formats/redis/rediscuckoo.h"

#include <gtest/gtest.h>

#include "bloomery/formats/format.h"
#include "bloomery/hash/murmur2.h"
#include "tests/formats/golden.h"

namespace bloomery {
namespace {

using testing::to_hex;

RedisCuckooFilter made(const RedisCuckooOptions& options) {
  auto filter = RedisCuckooFilter::for_options(options);
  EXPECT_TRUE(filter) << filter.error().message;
  return std::move(*filter);
}

TEST(RedisCuckoo, TheHashesAreThePeers) {
  struct {
    const char* key;
    std::uint64_t hash;
    unsigned fingerprint;
  } const vectors[] = {
      {"", 0x0000000000000000, 1},
      {"a", 0x071717d2d36b6b11, 196},
      {"foo", 0xcdde38358fd25b01, 217},
      {"hello world", 0xd3ba2368a832afce, 116},
      {"key:0123456789abcdef", 0xcab73f671de3a423, 242},
  };
  for (const auto& vector : vectors) {
    const CuckooDigest digest = RedisCuckooFilter::digest(bytes_of(vector.key));
    EXPECT_EQ(digest.hash, vector.hash) << vector.key;
    EXPECT_EQ(digest.fingerprint, vector.fingerprint) << vector.key;
  }
}

TEST(RedisCuckoo, KeysLieInTheBucketsOfTheirHash) {
  RedisCuckooFilter filter = made({.keys = 16});
  for (const char* key : {"", "a", "foo", "hello world", "key:0123456789abcdef", "foo", "foo"})
    ASSERT_EQ(filter.insert(bytes_of(key)), CuckooOutcome::kInserted);
  EXPECT_EQ(to_hex(filter.table(0)), "0100c4d90000f200d9d9000074000000");
  EXPECT_EQ(filter.count(bytes_of("foo")), 3U);
  EXPECT_EQ(filter.count(bytes_of("bar")), 0U);
  EXPECT_TRUE(filter.remove(bytes_of("foo")));
  EXPECT_EQ(to_hex(filter.table(0)), "0100c4000000f200d9d9000074000000");
}

TEST(RedisCuckoo, ANewFilterHasThePeersNumbers) {
  EXPECT_EQ(made({.keys = 1000}).reported_bytes(), 1080U);
  EXPECT_EQ(made({}).header(), (RedisCuckooHeader{0, 512, 0, 1, 2, 20, 1}));
  EXPECT_EQ(made({.keys = 1000, .expansion = 4}).header(),
            (RedisCuckooHeader{0, 512, 0, 1, 2, 20, 4}));
  // keys / bucket size, rounded down and then up to a power of two
  EXPECT_EQ(made({.keys = 1025}).shape().buckets, 512U);
  EXPECT_EQ(made({.keys = 1026}).shape().buckets, 1024U);
  EXPECT_EQ(made({.keys = 11, .bucket_size = 5}).shape().buckets, 2U);
  EXPECT_EQ(made({.keys = 1000, .expansion = 0}).shape().expansion, 0U);
  EXPECT_EQ(made({.keys = 1000, .expansion = 3}).shape().expansion, 4U);
  EXPECT_EQ(made({.keys = 1000, .expansion = 32768}).shape().expansion, 32768U);
}

TEST(RedisCuckoo, NumbersOutOfRangeAreRefused) {
  const RedisCuckooOptions bad[] = {
      {.keys = 3},
      {.keys = (std::uint64_t{1} << 30) + 1},
      {.keys = 509, .bucket_size = 255},
      {.bucket_size = 0},
      {.bucket_size = 256},
      {.max_iterations = 0},
      {.max_iterations = 65536},
      {.expansion = 32769},
  };
  for (const RedisCuckooOptions& options : bad) {
    const auto filter = RedisCuckooFilter::for_options(options);
    ASSERT_FALSE(filter) << options.keys;
    EXPECT_EQ(filter.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(RedisCuckooFilter::for_options({.keys = 1024}, {.max_bytes = 1023}).error().code,
            ErrorCode::kTooLarge);
}

TEST(RedisCuckoo, LayersGrowByTheExpansion) {
  RedisCuckooFilter filter = made({.keys = 8, .expansion = 4});
  std::vector<std::string> keys;
  while (filter.layers() < 3) {
    keys.push_back(message("key ", keys.size()));
    ASSERT_EQ(filter.insert(bytes_of(keys.back())), CuckooOutcome::kInserted);
  }
  EXPECT_EQ(filter.buckets(0), 4U);
  EXPECT_EQ(filter.buckets(1), 16U);
  EXPECT_EQ(filter.buckets(2), 64U);
  EXPECT_EQ(filter.reported_bytes(), 40 + 3 * 16 + 2 * (4 + 16 + 64U));
  EXPECT_EQ(filter.insert(bytes_of("one more"), 3), CuckooOutcome::kTooManyLayers);
  for (const auto& key : keys) EXPECT_TRUE(filter.may_contain(bytes_of(key)));
  for (const auto& key : keys) EXPECT_TRUE(filter.remove(bytes_of(key)));
  EXPECT_EQ(filter.keys(), 0U);
  EXPECT_EQ(filter.layers(), 1U);  // removals compact
}

TEST(RedisCuckoo, EachContradictionOfAHeaderIsRefused) {
  const RedisCuckooHeader good{3, 512, 1, 2, 2, 20, 2};
  ASSERT_TRUE(RedisCuckooFilter::from_header(good));
  using Change = void (*)(RedisCuckooHeader&);
  const std::pair<const char*, Change> changes[] = {
      {"no buckets", [](auto& h) { h.buckets = 0; }},
      {"buckets no power of two", [](auto& h) { h.buckets = 511; }},
      {"no layers", [](auto& h) { h.layers = 0; }},
      {"layers of a filter that does not grow", [](auto& h) { h.expansion = 0; }},
      {"an expansion that is no power of two", [](auto& h) { h.expansion = 3; }},
      {"no slots", [](auto& h) { h.bucket_size = 0; }},
      {"256 slots", [](auto& h) { h.bucket_size = 256; }},
      {"no iterations", [](auto& h) { h.max_iterations = 0; }},
      {"more keys than slots", [](auto& h) { h.keys = 3 * 1024 + 1; }},
  };
  for (const auto& [name, change] : changes) {
    RedisCuckooHeader bad = good;
    change(bad);
    const auto filter = RedisCuckooFilter::from_header(bad);
    ASSERT_FALSE(filter) << name;
    EXPECT_EQ(filter.error().code, ErrorCode::kMalformed) << name;
  }
  EXPECT_EQ(RedisCuckooFilter::from_header(good, {.max_bytes = 3071}).error().code,
            ErrorCode::kTooLarge);
}

TEST(RedisCuckoo, BatchesInsertAskAndRemoveEveryKey) {
  AnyFilter any{made({.keys = 100, .expansion = 0})};
  const ByteView keys[] = {bytes_of("a"), bytes_of("b"), bytes_of("a")};
  std::uint8_t answers[3];
  EXPECT_EQ(*insert_batch(any, keys, answers), 2U);
  EXPECT_EQ(answers[2], 0);
  EXPECT_EQ(std::get<RedisCuckooFilter>(any).keys(), 3U);
  EXPECT_EQ(*remove_batch(any, keys, answers), 3U);
  ASSERT_TRUE(may_contain_batch(any, keys, answers));
  EXPECT_EQ(answers[0] + answers[1] + answers[2], 0);
  const std::vector<ByteView> same(10, bytes_of("again and again"));
  std::vector<std::uint8_t> is_new(10);
  const auto full = insert_batch(any, same, is_new);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(std::get<RedisCuckooFilter>(any).keys(), 4U);  // two buckets of two
}

TEST(RedisCuckoo, OptionsMakeTheFilterThatReserveMakes) {
  CreateOptions options;
  options.sizing.keys = 1000;
  const auto filter = create_rediscuckoo(options);
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_EQ(*filter, made({.keys = 1000, .expansion = 2}));
  options.sizing.keys = 1;
  EXPECT_EQ(create_rediscuckoo(options)->shape().buckets, 2U);
  options.sizing.rate = 0.02;
  EXPECT_TRUE(create_rediscuckoo(options));
  options.sizing.rate = 0.01;  // one byte cannot keep that
  EXPECT_FALSE(create_rediscuckoo(options));
  options.sizing.rate.reset();
  options.sizing.bits = 100;
  EXPECT_FALSE(create_rediscuckoo(options));
}

TEST(RedisCuckoo, ADescriptionTellsTablesThatDoNotAgreeWithTheCount) {
  RedisCuckooFilter filter = made({.keys = 16});
  ASSERT_EQ(filter.insert(bytes_of("a")), CuckooOutcome::kInserted);
  const Description description = describe(filter);
  EXPECT_EQ(description.layout, "cuckoo");
  EXPECT_EQ(description.keys_inserted, 1U);
  EXPECT_EQ(description.layers.size(), 1U);
  EXPECT_NEAR(description.health->error_rate, 2.0 / 8 / 255, 1e-12);
  RedisCuckooHeader header = filter.header();
  header.keys = 7;
  const auto loaded_in_part = RedisCuckooFilter::from_header(header);
  EXPECT_EQ(describe(*loaded_in_part).notes.size(), description.notes.size() + 1);
}

}  // namespace
}  // namespace bloomery
