#include "bloomery/formats/leveldb/filter.h"

#include <cstdlib>
#include <memory>
#include <random>

#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::to_hex;

const nlohmann::json& golden() {
  static const nlohmann::json json = testing::golden_json("formats/leveldb.json");
  return json;
}

CreateOptions sized(std::uint64_t keys, double bits_per_key) {
  CreateOptions options;
  options.sizing.keys = keys;
  options.sizing.bits_per_key = bits_per_key;
  return options;
}

TEST(LevelDb, GoldenFiltersAgreeWithThePeer) {
  ASSERT_EQ(golden().at("filters").size(), 15U);
  for (const auto& one : golden().at("filters")) {
    const double bits_per_key = std::stod(one.at("params").at("bits_per_key").get<std::string>());
    auto empty = create_leveldb(sized(one.at("keys").size(), bits_per_key));
    ASSERT_TRUE(empty) << empty.error().message;
    EXPECT_EQ(empty->shape().probes, one.at("peer_reports").at("k").get<std::uint32_t>());
    testing::check_golden(
        one, std::move(*empty), [](ByteView bytes) { return decode_leveldb(bytes, {}); },
        encode_leveldb);
  }
}

TEST(LevelDb, BuilderMakesThePeersBytesWithoutKnowingTheNumberOfKeys) {
  LevelDbBuilder builder;
  for (const auto& one : golden().at("filters")) {
    SCOPED_TRACE(one.at("id").get<std::string>());
    for (const auto& key : one.at("keys")) builder.add(from_hex(key.get<std::string>()));
    const auto made =
        builder.finish(std::stod(one.at("params").at("bits_per_key").get<std::string>()));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(to_hex(*made), one.at("bytes_hex").get<std::string>());
    EXPECT_EQ(builder.keys(), 0U);
  }
}

TEST(LevelDb, FiltersAskedInPlaceGiveThePeersAnswers) {
  std::size_t false_positives = 0;
  for (const auto& one : golden().at("filters")) {
    const Bytes filter = from_hex(one.at("bytes_hex").get<std::string>());
    for (const auto& answer : one.at("answers")) {
      const Bytes key = from_hex(answer.at(0).get<std::string>());
      const bool ours = leveldb_may_contain(filter, LevelDb{}.digest(key));
      EXPECT_EQ(ours, answer.at(1).get<int>() == 1) << answer.at(0);
      EXPECT_EQ(leveldb_may_contain(filter, key), ours) << answer.at(0);
      EXPECT_EQ(leveldb_may_contain_cold(filter, key), ours) << answer.at(0);
      if (ours) ++false_positives;
    }
  }
  EXPECT_GT(false_positives, 0U);
}

TEST(LevelDb, LargeBuilderFetchesAheadAndMakesTheSameBits) {
  constexpr std::uint64_t kKeys = 250'000;  // 312,500 bytes: beyond where fetching ahead starts
  LevelDbBuilder builder;
  auto one_by_one = create_leveldb(sized(kKeys, 10));
  ASSERT_TRUE(one_by_one);
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    const ByteView key = std::as_bytes(std::span{&i, 1});
    builder.add(key);
    one_by_one->insert(key);
  }
  const auto made = builder.finish();
  ASSERT_TRUE(made);
  EXPECT_TRUE(*made == encode_leveldb(*one_by_one));
}

// A large filter's false-positive rate is far above that of its fill, and its description must say
// so.
TEST(LevelDb, DescribesTheRateOfALargeFilterAsMeasured) {
  constexpr std::uint64_t kKeys = 250'000;
  auto filter = create_leveldb(sized(kKeys, 10));
  ASSERT_TRUE(filter);
  const auto key_of = [](const std::uint64_t& i) { return std::as_bytes(std::span{&i, 1}); };
  for (std::uint64_t i = 0; i < kKeys; ++i) filter->insert(key_of(i));
  std::uint64_t passed = 0;
  for (std::uint64_t i = kKeys; i < 5 * kKeys; ++i)
    if (filter->may_contain(key_of(i))) ++passed;
  const double measured = static_cast<double>(passed) / (4 * kKeys);
  const Description description = describe(*filter);
  EXPECT_TRUE(description.health->sampled);
  EXPECT_GT(measured, 2 * filter->health().error_rate);
  EXPECT_NEAR(description.health->error_rate, measured, 0.1 * measured);
  EXPECT_EQ(description.notes.size(), 1U);
}

TEST(LevelDb, OddFiltersAnswerAsThePeer) {
  ASSERT_EQ(golden().at("contains_on_odd_filters").size(), 6U);
  for (const auto& one : golden().at("contains_on_odd_filters")) {
    const Bytes filter = from_hex(one.at(0).get<std::string>());
    const bool expected = one.at(1).get<std::string>() == "true";
    SCOPED_TRACE(one.at(0).get<std::string>());
    EXPECT_EQ(leveldb_may_contain(filter, LevelDb{}.digest(bytes_of("foo"))), expected);
    EXPECT_EQ(leveldb_may_contain_cold(filter, bytes_of("foo")), expected);
    const auto decoded = decode_leveldb(filter, {});
    ASSERT_EQ(decoded.has_value(), filter.size() >= 2);
    if (!decoded) continue;
    EXPECT_EQ(decoded->may_contain(bytes_of("foo")), expected);
    EXPECT_EQ(to_hex(encode_leveldb(*decoded)), to_hex(filter));
  }
}

// Every number of probes, in filters of one to many bytes, with keys of every length.
TEST(LevelDb, LookupOfADatabaseAnswersAsTheDefinition) {
  std::mt19937_64 random{11};
  std::size_t maybes = 0, noes = 0;
  for (unsigned probes = 0; probes <= 32; ++probes) {
    for (const std::size_t bytes : {0UL, 1UL, 2UL, 3UL, 7UL, 64UL, 75UL, 1169UL}) {
      Bytes filter(bytes + 1);
      for (std::byte& byte : filter) byte = static_cast<std::byte>(random() | random() | random());
      filter.back() = static_cast<std::byte>(probes);
      for (std::size_t length = 0; length < 20; ++length) {
        Bytes key(length);
        for (std::byte& byte : key) byte = static_cast<std::byte>(random());
        const bool expected = leveldb_may_contain(filter, LevelDb{}.digest(key));
        ASSERT_EQ(leveldb_may_contain_cold(filter, key), expected) << probes << ' ' << bytes;
        ASSERT_EQ(leveldb_may_contain(filter, key), expected) << probes << ' ' << bytes;
        ++(expected ? maybes : noes);
      }
    }
  }
  EXPECT_GT(maybes, 1000U);
  EXPECT_GT(noes, 1000U);
}

TEST(LevelDb, ReservedNumbersOfProbesAnswerMaybeAndKeepTheirByte) {
  for (unsigned probes = 0; probes < 256; ++probes) {
    Bytes filter(9);
    filter.back() = static_cast<std::byte>(probes);
    const auto decoded = decode_leveldb(filter, {});
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->may_contain(bytes_of("key")), probes == 0 || probes > 30) << probes;
    EXPECT_TRUE(encode_leveldb(*decoded) == filter) << probes;
    EXPECT_EQ(describe(*decoded).notes.empty(), probes <= 30);
  }
}

TEST(LevelDb, GoRuleMatchesGoleveldbAtItsEdges) {
  for (const auto& one : golden().at("goleveldb_bits_per_key_edges")) {
    int bits_per_key = 0;
    unsigned long bytes = 0;
    unsigned probes = 0;
    ASSERT_EQ(std::sscanf(one.at(0).get<std::string>().c_str(), "bpk=%d", &bits_per_key), 1);
    ASSERT_EQ(std::sscanf(one.at(1).get<std::string>().c_str(), "len=%lu k=%u", &bytes, &probes),
              2);
    SCOPED_TRACE(bits_per_key);
    LevelDbBuilder builder;
    builder.add(bytes_of("a"));
    builder.add(bytes_of("b"));
    const auto made = builder.finish(bits_per_key, LevelDbRule::kGo);
    ASSERT_EQ(made.has_value(), bits_per_key >= 0);
    if (!made) continue;
    EXPECT_EQ(made->size(), bytes);
    EXPECT_EQ(static_cast<unsigned>(made->back()), probes);
    const auto cpp = leveldb_shape(2, bits_per_key);
    ASSERT_TRUE(cpp);
    EXPECT_EQ(cpp->probes, bits_per_key >= 372 ? 30 : probes);
  }
}

TEST(LevelDb, RefusesAbsurdBitsPerKey) {
  EXPECT_FALSE(leveldb_shape(10, -5));
  EXPECT_FALSE(leveldb_shape(10, 9.5));
  EXPECT_FALSE(leveldb_shape(10, 65537));
  EXPECT_FALSE(leveldb_shape(10, std::nan("")));
  EXPECT_FALSE(leveldb_shape(UINT64_MAX, 10));
  EXPECT_FALSE(leveldb_shape(std::uint64_t{1} << 32, 1, LevelDbRule::kGo));
  EXPECT_TRUE(leveldb_shape(std::uint64_t{1} << 32, 1));
}

TEST(LevelDb, CreateTakesKeysOrBitsAndRefusesThePlanBeyondTheLimit) {
  CreateOptions options;
  EXPECT_EQ(create_leveldb(options).error().code, ErrorCode::kInvalidArgument);
  options.sizing.keys = 1000;
  EXPECT_EQ(create_leveldb(options)->shape(), (Shape{10000, 6}));
  options.sizing.rate = 0.01;
  const auto with_rate = create_leveldb(options);
  EXPECT_EQ(with_rate->shape(), (Shape{10000, 6}));
  EXPECT_EQ(with_rate->provenance().goal, (Goal{1000, 0.01}));
  options.limits.max_bytes = 1249;
  EXPECT_EQ(create_leveldb(options).error().code, ErrorCode::kTooLarge);
  CreateOptions exact;
  exact.sizing.bits = 4096;
  exact.sizing.probes = 30;
  EXPECT_EQ(create_leveldb(exact)->shape(), (Shape{4096, 30}));
  exact.sizing.probes = 31;
  EXPECT_FALSE(create_leveldb(exact));
  exact.sizing = {.bits = 4095, .probes = 4};
  EXPECT_FALSE(create_leveldb(exact));
}

// From 2^32 bits on a hash of 32 bits is the position itself. The memory is only touched where bits
// are set.
TEST(LevelDb, FiltersBeyondTheReachOfTheHashAreFilledAndAsked) {
  constexpr std::size_t kBits = (std::size_t{1} << 32) + 64;
  const std::unique_ptr<void, void (*)(void*)> memory{std::calloc(kBits / 8 + 1, 1), std::free};
  if (!memory) GTEST_SKIP() << "not enough memory";
  const ByteSpan filter{static_cast<std::byte*>(memory.get()), kBits / 8 + 1};
  const std::uint32_t hashes[] = {0x12345678, 0xffffffff, 0x9abcdef7, 0};
  leveldb_fill(hashes, {kBits, 6}, filter);
  EXPECT_EQ(filter.back(), std::byte{6});
  for (const std::uint32_t hash : hashes) {
    for (std::uint32_t i = 0; i < 6; ++i) {
      const std::uint32_t position = hash + i * std::rotr(hash, 17);
      EXPECT_NE(filter[position / 8] & std::byte{1} << position % 8, std::byte{0}) << position;
    }
    EXPECT_TRUE(leveldb_may_contain(filter, LevelDb::Digest{hash, std::rotr(hash, 17)}));
  }
  EXPECT_FALSE(leveldb_may_contain(filter, LevelDb::Digest{77, std::rotr(77U, 17)}));
}

TEST(LevelDb, SurvivesHostileBytes) {
  const Bytes good = from_hex(golden().at("filters").at(2).at("bytes_hex").get<std::string>());
  const auto decode = [](ByteView bytes) {
    DecodeOptions options;
    options.limits.max_bytes = 1 << 20;
    return decode_leveldb(bytes, options);
  };
  testing::survive_hostile_bytes(good, decode, 12);  // a bare filter is as long as its bytes are
  DecodeOptions small;
  small.limits.max_bytes = 8;
  EXPECT_EQ(decode_leveldb(good, small).error().code, ErrorCode::kTooLarge);
  for (const std::size_t size : {0U, 1U})  // no bits, and perhaps no number of probes
    EXPECT_EQ(decode_leveldb(Bytes(size), {}).error().code, ErrorCode::kTruncated);
  EXPECT_TRUE(decode_leveldb(Bytes(2), {}));
}

}  // namespace
}  // namespace bloomery
