#include "bloomery/formats/ethereum_bloom.h"

#include <numeric>

#include "bloomery/hash/keccak.h"
#include "tests/formats/golden.h"
#include "tests/formats/split_mix.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_0x;
using testing::SplitMix64;
using testing::to_hex;

nlohmann::json golden() { return testing::golden_json("ethereum/bloom9.json"); }

std::size_t ones(const EthereumBloom& bloom) {
  std::size_t count = 0;
  for (std::size_t bit = 0; bit < EthereumBloom::kBits; ++bit) count += bloom.has_bit(bit) ? 1 : 0;
  return count;
}

TEST(EthereumBloom, EachGoldenKeySetsThePeersBits) {
  const auto cases = golden().at("add");
  ASSERT_EQ(cases.size(), 34U);
  std::vector<Bytes> keys;
  for (const auto& one : cases) keys.push_back(from_0x(one.at("input")));
  const std::vector<ByteView> views{keys.begin(), keys.end()};
  std::vector<EthereumBits> together(keys.size());
  bloom_bits(views, together);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    SCOPED_TRACE(cases[i].at("input").get<std::string>());
    EXPECT_EQ(bloom_bits(keys[i]), together[i]);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(together[i][j], cases[i].at("bits").at(j));
    EthereumBloom bloom;
    EXPECT_FALSE(bloom.may_contain(keys[i]));
    bloom.insert(keys[i]);
    EXPECT_TRUE(bloom.may_contain(keys[i]));
    EXPECT_EQ(bloom.to_text(), cases[i].at("bloom"));
    EthereumBloom batch;
    batch.insert_batch({&views[i], 1});
    EXPECT_EQ(batch, bloom);
  }
}

TEST(EthereumBloom, AllThreeBitsAreAsked) {
  for (const std::size_t missing : {0U, 1U, 2U}) {
    const EthereumBits bits = {5, 700, 2047};
    EthereumBits fewer = bits;
    fewer[missing] = bits[(missing + 1) % 3];
    EthereumBloom bloom;
    bloom.insert(fewer);
    EXPECT_TRUE(bloom.may_contain(fewer));
    EXPECT_FALSE(bloom.may_contain(bits)) << missing;
  }
}

TEST(EthereumBloom, ThePeersOwnTestCasesHold) {
  const auto all = golden();
  EthereumBloom bloom;
  const auto& small = all.at("geth_TestBloom");
  for (const auto& key : small.at("positive")) bloom.insert(bytes_of(key.get<std::string>()));
  EXPECT_EQ(bloom.to_text(), small.at("bloom"));
  for (const auto& key : small.at("positive"))
    EXPECT_TRUE(bloom.may_contain(bytes_of(key.get<std::string>())));
  for (const auto& key : small.at("negative"))
    EXPECT_FALSE(bloom.may_contain(bytes_of(key.get<std::string>())));

  const auto& extensive = all.at("geth_TestBloomExtensively");
  EthereumBloom many;
  for (int i = 0; i < 100; ++i)
    many.insert(bytes_of("xxxxxxxxxx data " + std::to_string(i) + " yyyyyyyyyyyyyy"));
  EXPECT_EQ(many.to_text(), extensive.at("bloom"));
  EXPECT_EQ("0x" + to_hex(keccak256(many.bytes())), extensive.at("expected_in_geth_test"));
}

TEST(EthereumBloom, ManyKeysHaveThePeersBitsAndFalsePositives) {
  const auto cases = golden().at("multi");
  ASSERT_EQ(cases.size(), 8U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one.at("n").get<int>());
    SplitMix64 random{one.at("seed")};
    std::vector<Bytes> keys;
    for (std::size_t i = 0; i < one.at("n"); ++i)
      keys.push_back(random.bytes(i % 3 == 0 ? 20 : 32));
    const std::vector<ByteView> views{keys.begin(), keys.end()};
    EthereumBloom bloom;
    bloom.insert_batch(views);
    EXPECT_EQ(bloom.to_text(), one.at("bloom"));
    EXPECT_EQ(ones(bloom), one.at("bits_set"));
    SplitMix64 queries{one.at("query_seed")};
    std::size_t positive = 0;
    for (int i = 0; i < 2000; ++i) positive += bloom.may_contain(queries.bytes(32)) ? 1 : 0;
    EXPECT_EQ(positive, one.at("queries_2000x32B_positive"));
  }
}

TEST(EthereumBloom, SetBytesFillsFromTheRight) {
  const auto all = golden();
  std::size_t refused = 0;
  for (const auto& one : all.at("set_bytes")) {
    if (one.contains("panic")) {
      const auto bloom = EthereumBloom::from_bytes(Bytes(one.at("input_len").get<std::size_t>()));
      ASSERT_FALSE(bloom);
      EXPECT_EQ(bloom.error().message, one.at("panic"));
      ++refused;
      continue;
    }
    const auto bloom = EthereumBloom::from_bytes(from_0x(one.at("input")));
    ASSERT_TRUE(bloom);
    EXPECT_EQ(bloom->to_text(), one.at("bloom"));
  }
  EXPECT_EQ(refused, 3U);
  const auto& keeps = all.at("set_bytes_keeps_prefix");
  EthereumBloom full = *EthereumBloom::from_bytes(Bytes(256, std::byte{0xff}));
  ASSERT_TRUE(full.set_bytes(from_0x(keeps.at("input"))));
  EXPECT_EQ(full.to_text(), keeps.at("after"));
  EXPECT_FALSE(full.set_bytes(Bytes(257)));
  EXPECT_EQ(full.to_text(), keeps.at("after")) << "a refused call changes nothing";
}

TEST(EthereumBloom, TextIsReadOrRefusedInThePeersWords) {
  const auto cases = golden().at("unmarshal_text");
  ASSERT_EQ(cases.size(), 11U);
  for (const auto& one : cases) {
    const std::string text = one.at("text");
    SCOPED_TRACE(text.substr(0, 20));
    const auto bloom = EthereumBloom::from_text(text);
    if (one.at("error") == "") {
      ASSERT_TRUE(bloom) << bloom.error().message;
      EXPECT_EQ(bloom->to_text(), one.at("bloom"));
    } else {
      ASSERT_FALSE(bloom);
      EXPECT_EQ(bloom.error().message, one.at("error"));
    }
  }
}

TEST(EthereumBloom, TextMayBeInCapitals) {
  Bytes bytes(EthereumBloom::kBytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  const std::string small = "0x" + to_hex(bytes);
  std::string capital = small;
  for (char& c : capital)
    if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
  for (const std::string& text : {small, capital}) {
    const auto bloom = EthereumBloom::from_text(text);
    ASSERT_TRUE(bloom) << bloom.error().message;
    EXPECT_EQ(bloom->to_text(), small);
  }
  for (const char c : {'/', ':', '@', 'G', '`', 'g'}) {  // beside the digits on either side
    std::string text = small;
    text[100] = c;
    EXPECT_EQ(EthereumBloom::from_text(text).error().message, "invalid hex string") << c;
  }
}

// A list of receipts as the golden file has it, and the views of it.
struct Receipts {
  explicit Receipts(const nlohmann::json& list) {
    for (const auto& receipt : list)
      for (const auto& log : receipt.at("logs")) {
        bytes.push_back(from_0x(log.at("address")));
        for (const auto& topic : log.at("topics")) bytes.push_back(from_0x(topic));
      }
    keys.assign(bytes.begin(), bytes.end());
    std::size_t at = 0;
    for (const auto& receipt : list)
      for (const auto& log : receipt.at("logs")) {
        const std::size_t topics = log.at("topics").size();
        logs.push_back({keys[at], std::span{keys}.subspan(at + 1, topics)});
        at += 1 + topics;
      }
    at = 0;
    for (const auto& receipt : list) {
      receipts.emplace_back(std::span{logs}.subspan(at, receipt.at("logs").size()));
      at += receipt.at("logs").size();
    }
  }
  std::vector<Bytes> bytes;
  std::vector<ByteView> keys;
  std::vector<EthereumLogView> logs;
  std::vector<EthereumReceiptView> receipts;
};

TEST(EthereumBloom, ReceiptsGiveThePeersBlooms) {
  const auto cases = testing::golden_json("ethereum/create_bloom.json").at("cases");
  ASSERT_EQ(cases.size(), 7U);
  for (const auto& one : cases) {
    const Receipts list{one.at("receipts")};
    SCOPED_TRACE(list.receipts.size());
    EXPECT_EQ(create_bloom(list.receipts).to_text(), one.at("block_bloom"));
    std::vector<EthereumBloom> blooms(list.receipts.size());
    for (EthereumBloom& bloom : blooms) bloom.insert(EthereumBits{1, 2, 3});  // not to be kept
    receipt_blooms(list.receipts, blooms);
    for (std::size_t i = 0; i < blooms.size(); ++i) {
      EXPECT_EQ(blooms[i].to_text(), one.at("receipts").at(i).at("bloom"));
      EXPECT_EQ(logs_bloom(list.receipts[i]), blooms[i]);
    }
    EXPECT_EQ(merge_blooms(blooms).to_text(), one.at("block_bloom"));
  }
}

TEST(EthereumBloom, ThePeersBenchmarkHasItsBloom) {
  const auto one =
      testing::golden_json("ethereum/create_bloom.json").at("geth_BenchmarkCreateBloom");
  std::vector<Bytes> addresses;
  for (const auto& text : one.at("addresses")) {
    Bytes address(20);
    const Bytes end = from_0x(text);
    std::ranges::copy(end, address.end() - static_cast<std::ptrdiff_t>(end.size()));
    addresses.push_back(address);
  }
  std::vector<EthereumLogView> logs;
  for (const Bytes& address : addresses) logs.push_back({address, {}});
  const EthereumBloom bloom = logs_bloom(logs);
  EXPECT_EQ(bloom.to_text(), one.at("bloom"));
  EXPECT_EQ("0x" + to_hex(keccak256(bloom.bytes())), one.at("expected_in_geth_test"));
}

// However many keys wait in the batch when it is written out.
TEST(EthereumBloom, ABatchOfAnySizeEqualsKeysOneByOne) {
  SplitMix64 random{77};
  for (const std::size_t size : {0U, 1U, 3U, 4U, 5U, 8U, 9U, 63U, 64U, 65U, 200U}) {
    std::vector<Bytes> keys;
    for (std::size_t i = 0; i < size; ++i)
      keys.push_back(random.bytes(i % 7 == 6 ? 150 : 20 + i % 13));
    EthereumBloom apart[3];
    EthereumBloom batched[3];
    {
      EthereumBloomBatch batch;
      for (std::size_t i = 0; i < size; ++i) {
        apart[i % 3].insert(keys[i]);
        batch.insert(keys[i], batched[i % 3]);
      }
    }
    for (int i = 0; i < 3; ++i) EXPECT_EQ(apart[i], batched[i]) << size;
  }
}

TEST(EthereumBloom, RealHeadersAreReadAndWrittenUnchanged) {
  std::ifstream file{BLOOMERY_REAL_DIR "/mainnet_headers.jsonl"};
  if (!file) GTEST_SKIP() << "the folder with real headers is not here";
  std::size_t headers = 0;
  for (std::string line; std::getline(file, line); ++headers) {
    const auto header = nlohmann::json::parse(line);
    const auto bloom = EthereumBloom::from_text(header.at("logsBloom").get<std::string>());
    ASSERT_TRUE(bloom) << bloom.error().message;
    EXPECT_EQ(ones(*bloom), header.at("bloomBitsSet"));
    EXPECT_EQ(bloom->to_text(), header.at("logsBloom"));
  }
  EXPECT_EQ(headers, 103U);
}

}  // namespace
}  // namespace bloomery
