#include "bloomery/formats/ethereum.h"

#include "tests/formats/hostile.h"
#include "tests/formats/split_mix.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_0x;
using testing::SplitMix64;

EthereumFilter empty_filter() { return *create_ethereum({}); }
nlohmann::json golden() { return testing::golden_json("ethereum/bloom9.json"); }

std::string text_of_filter(const EthereumFilter& filter) {
  return EthereumBloom::from_bytes(*encode_ethereum(filter))->to_text();
}

TEST(Ethereum, EachGoldenKeySetsThePeersBits) {
  const auto cases = golden().at("add");
  ASSERT_EQ(cases.size(), 34U);
  for (const auto& one : cases) {
    const Bytes key = from_0x(one.at("input"));
    SCOPED_TRACE(one.at("input").get<std::string>());
    const auto digest = EthereumDialect::digest(key);
    const Modulus bits{2048};
    for (std::uint32_t i = 0; i < 3; ++i)
      EXPECT_EQ(EthereumDialect::probe(digest, i, bits), one.at("bits").at(i));
    EthereumFilter bloom = empty_filter();
    EXPECT_FALSE(bloom.may_contain(key));
    EXPECT_TRUE(bloom.insert(key));
    EXPECT_TRUE(bloom.may_contain(key));
    EXPECT_EQ(text_of_filter(bloom), one.at("bloom"));
    EXPECT_EQ(*encode_ethereum(bloom), from_0x(one.at("bloom")));
  }
}

TEST(Ethereum, BloomsOfManyKeysHaveThePeersBitsAndFalsePositives) {
  const auto cases = golden().at("multi");
  ASSERT_EQ(cases.size(), 8U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one.at("n").get<int>());
    SplitMix64 keys{one.at("seed")};
    EthereumFilter bloom = empty_filter();
    for (std::size_t i = 0; i < one.at("n"); ++i) bloom.insert(keys.bytes(i % 3 == 0 ? 20 : 32));
    EXPECT_EQ(text_of_filter(bloom), one.at("bloom"));
    EXPECT_EQ(count_ones(bloom.bytes()), one.at("bits_set"));
    auto decoded = decode_ethereum(from_0x(one.at("bloom")), {});
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, bloom);
    SplitMix64 queries{one.at("query_seed")};
    std::size_t positive = 0;
    for (int i = 0; i < 2000; ++i) positive += decoded->may_contain(queries.bytes(32)) ? 1 : 0;
    EXPECT_EQ(positive, one.at("queries_2000x32B_positive"));
  }
}

TEST(Ethereum, AFileMayHoldTheTextForm) {
  const auto cases = golden().at("unmarshal_text");
  ASSERT_EQ(cases.size(), 11U);
  for (const auto& one : cases) {
    const std::string text = one.at("text");
    SCOPED_TRACE(text.substr(0, 20));
    const auto filter = decode_ethereum(bytes_of(text + "\n"), {});
    if (one.at("error") == "") {
      ASSERT_TRUE(filter) << filter.error().message;
      EXPECT_EQ(text_of_filter(*filter), one.at("bloom"));
    } else {
      EXPECT_FALSE(filter);
    }
  }
}

TEST(Ethereum, DecodeRefusesOtherLengths) {
  EXPECT_TRUE(decode_ethereum(Bytes(256), {}));
  EXPECT_EQ(decode_ethereum(Bytes(255), {}).error().code, ErrorCode::kMalformed);
  EXPECT_EQ(decode_ethereum(Bytes(257), {}).error().code, ErrorCode::kMalformed);
  EXPECT_EQ(decode_ethereum({}, {}).error().code, ErrorCode::kMalformed);
  EXPECT_EQ(decode_ethereum(Bytes(256), {.limits = {.max_bytes = 255}}).error().code,
            ErrorCode::kTooLarge);
}

TEST(Ethereum, TheSizeIsNotToBeChosen) {
  CreateOptions options;
  options.sizing.bits = 4096;
  EXPECT_FALSE(create_ethereum(options));
  options.sizing.bits = 2048;
  options.sizing.probes = 3;
  options.sizing.keys = 100;
  options.sizing.rate = 0.01;
  const auto bloom = create_ethereum(options);
  ASSERT_TRUE(bloom) << bloom.error().message;
  EXPECT_EQ(bloom->provenance().goal, (Goal{100, 0.01}));
  EXPECT_FALSE(bloom->fold(2));
  EXPECT_FALSE(encode_ethereum(EthereumFilter{Shape{1024, 3}}));
}

TEST(Ethereum, SurvivesHostileBytes) {
  const auto decode = [](ByteView bytes) { return decode_ethereum(bytes, {}); };
  testing::survive_hostile_bytes(Bytes(256, std::byte{0x5a}), decode);
  const std::string text = EthereumBloom{}.to_text();
  const ByteView view = bytes_of(text);
  testing::survive_hostile_bytes(Bytes{view.begin(), view.end()}, decode, 1);
}

}  // namespace
}  // namespace bloomery
