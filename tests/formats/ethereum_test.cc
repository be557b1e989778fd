#include "bloomery/formats/ethereum.h"

#include "bloomery/hash/keccak.h"
#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::to_hex;

Bytes from_0x(const std::string& text) { return from_hex(text.substr(2)); }
EthereumBloom empty_bloom() { return *create_ethereum({}); }
nlohmann::json golden() { return testing::golden_json("ethereum/bloom9.json"); }

// The generator that the golden file names.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_{seed} {}
  Bytes bytes(std::size_t size) {
    Bytes out((size + 7) / 8 * 8);
    for (std::size_t at = 0; at < out.size(); at += 8) store_be(out.data() + at, next());
    out.resize(size);
    return out;
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

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
    EthereumBloom bloom = empty_bloom();
    EXPECT_FALSE(bloom.may_contain(key));
    EXPECT_TRUE(bloom.insert(key));
    EXPECT_TRUE(bloom.may_contain(key));
    EXPECT_EQ(ethereum_bloom_to_text(bloom), one.at("bloom"));
    EXPECT_EQ(*encode_ethereum(bloom), from_0x(one.at("bloom")));
  }
}

TEST(Ethereum, ThePeersOwnTestCasesHold) {
  const auto all = golden();
  EthereumBloom bloom = empty_bloom();
  const auto& small = all.at("geth_TestBloom");
  for (const auto& key : small.at("positive")) bloom.insert(bytes_of(key.get<std::string>()));
  EXPECT_EQ(ethereum_bloom_to_text(bloom), small.at("bloom"));
  for (const auto& key : small.at("positive"))
    EXPECT_TRUE(bloom.may_contain(bytes_of(key.get<std::string>())));
  for (const auto& key : small.at("negative"))
    EXPECT_FALSE(bloom.may_contain(bytes_of(key.get<std::string>())));

  const auto& extensive = all.at("geth_TestBloomExtensively");
  EthereumBloom many = empty_bloom();
  for (int i = 0; i < 100; ++i)
    many.insert(bytes_of("xxxxxxxxxx data " + std::to_string(i) + " yyyyyyyyyyyyyy"));
  EXPECT_EQ(ethereum_bloom_to_text(many), extensive.at("bloom"));
  EXPECT_EQ("0x" + to_hex(keccak256(*encode_ethereum(many))),
            extensive.at("expected_in_geth_test"));
}

TEST(Ethereum, BloomsOfManyKeysHaveThePeersBitsAndFalsePositives) {
  const auto cases = golden().at("multi");
  ASSERT_EQ(cases.size(), 8U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one.at("n").get<int>());
    SplitMix64 keys{one.at("seed")};
    EthereumBloom bloom = empty_bloom();
    for (std::size_t i = 0; i < one.at("n"); ++i) bloom.insert(keys.bytes(i % 3 == 0 ? 20 : 32));
    EXPECT_EQ(ethereum_bloom_to_text(bloom), one.at("bloom"));
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

TEST(Ethereum, SetBytesFillsFromTheRight) {
  const auto all = golden();
  std::size_t refused = 0;
  for (const auto& one : all.at("set_bytes")) {
    EthereumBloom bloom = empty_bloom();
    if (one.contains("panic")) {
      const auto set = ethereum_set_bytes(bloom, Bytes(one.at("input_len").get<std::size_t>()));
      ASSERT_FALSE(set);
      EXPECT_EQ(set.error().message, one.at("panic"));
      ++refused;
      continue;
    }
    ASSERT_TRUE(ethereum_set_bytes(bloom, from_0x(one.at("input"))));
    EXPECT_EQ(ethereum_bloom_to_text(bloom), one.at("bloom"));
  }
  EXPECT_EQ(refused, 3U);
  const auto& keeps = all.at("set_bytes_keeps_prefix");
  EthereumBloom full = *decode_ethereum(Bytes(256, std::byte{0xff}), {});
  ASSERT_TRUE(ethereum_set_bytes(full, from_0x(keeps.at("input"))));
  EXPECT_EQ(ethereum_bloom_to_text(full), keeps.at("after"));
}

TEST(Ethereum, TextIsReadOrRefusedInThePeersWords) {
  const auto cases = golden().at("unmarshal_text");
  ASSERT_EQ(cases.size(), 11U);
  for (const auto& one : cases) {
    const std::string text = one.at("text");
    SCOPED_TRACE(text.substr(0, 20));
    const auto bloom = ethereum_bloom_from_text(text);
    if (one.at("error") == "") {
      ASSERT_TRUE(bloom) << bloom.error().message;
      EXPECT_EQ(ethereum_bloom_to_text(*bloom), one.at("bloom"));
      const auto from_file = decode_ethereum(bytes_of(text + "\n"), {});
      ASSERT_TRUE(from_file) << from_file.error().message;
      EXPECT_EQ(*from_file, *bloom);
    } else {
      ASSERT_FALSE(bloom);
      EXPECT_EQ(bloom.error().message, one.at("error"));
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
  EXPECT_FALSE(encode_ethereum(EthereumBloom{Shape{1024, 3}}));
}

TEST(Ethereum, SurvivesHostileBytes) {
  const auto decode = [](ByteView bytes) { return decode_ethereum(bytes, {}); };
  testing::survive_hostile_bytes(Bytes(256, std::byte{0x5a}), decode);
  const std::string text = ethereum_bloom_to_text(empty_bloom());
  const ByteView view = bytes_of(text);
  testing::survive_hostile_bytes(Bytes{view.begin(), view.end()}, decode);
}

}  // namespace
}  // namespace bloomery
