#include "apps/ethlog/store/schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/ethlog/store/samples.h"

namespace bloomery::ethlog {
namespace {

std::string raw(const nlohmann::json& text) {
  return std::string{text_of(*bytes_from_hex(text.get<std::string>()))};
}

// The key made again from what was read of it.
std::string rebuilt(const SchemaKey& key) {
  switch (key.kind) {
    case KeyKind::kHeader:
      return header_key(key.number, key.hash);
    case KeyKind::kCanonicalHash:
      return canonical_hash_key(key.number);
    case KeyKind::kTotalDifficulty:
      return header_key(key.number, key.hash) + 't';
    case KeyKind::kBlockNumber:
      return block_number_key(key.hash);
    case KeyKind::kBody:
      return body_key(key.number, key.hash);
    case KeyKind::kReceipts:
      return receipts_key(key.number, key.hash);
    case KeyKind::kBloomBits:
      return bloom_bits_key(key.bit, key.number, key.hash);
    case KeyKind::kSectionHead:
      return section_head_key(key.number);
    case KeyKind::kSectionCount:
      return std::string{kSectionCountKey};
    default:
      return {};
  }
}

const std::map<std::string, std::vector<KeyKind>> kClasses = {
    {"bloombits B+bit+section+hash", {KeyKind::kBloomBits}},
    {"number H+hash", {KeyKind::kBlockNumber}},
    {"head pointers", {KeyKind::kHeadPointer}},
    {"body b+num+hash", {KeyKind::kBody}},
    {"canonical h+num+n", {KeyKind::kCanonicalHash}},
    {"header h+num+hash", {KeyKind::kHeader}},
    {"td h+num+hash+t", {KeyKind::kTotalDifficulty}},
    {"index iB...", {KeyKind::kSectionCount, KeyKind::kSectionHead}},
    {"receipts r+num+hash", {KeyKind::kReceipts}},
    {"other", {KeyKind::kOther, KeyKind::kDatabaseVersion}},
};

class GethKeys : public ::testing::Test {
 protected:
  static const nlohmann::json& golden() {
    static const nlohmann::json all = [] {
      std::ifstream file{golden_path("db_keys.json")};
      return nlohmann::json::parse(file);
    }();
    return all;
  }
};

TEST_F(GethKeys, AreReadAndMadeAgain) {
  std::size_t ours = 0;
  for (const auto& pair : golden()["kv"]) {
    const std::string key = raw(pair["key"]);
    const SchemaKey read = parse_key(key);
    if (key.size() == Hash::kSize) {  // a state node, whose key is its hash and may begin with H
      EXPECT_EQ(read.kind, KeyKind::kOther);
      continue;
    }
    const auto& kinds = kClasses.at(pair["class"].get<std::string>());
    EXPECT_NE(std::find(kinds.begin(), kinds.end(), read.kind), kinds.end())
        << pair["class"] << " " << pair["key"];
    if (const std::string again = rebuilt(read); !again.empty()) {
      EXPECT_EQ(again, key) << pair["key"];
      ++ours;
    }
  }
  EXPECT_GT(ours, 2700U);
}

TEST_F(GethKeys, LeadToTheValuesOfTheSampleChain) {
  std::map<std::string, std::string> stored;
  for (const auto& pair : golden()["kv"]) stored[raw(pair["key"])] = raw(pair["value"]);
  const auto blocks = golden_lines("chain_blocks.jsonl");
  const auto head = golden()["head"].get<std::uint64_t>();
  const auto frozen = golden()["frozen_below"].get<std::uint64_t>();
  ASSERT_EQ(blocks.size(), head + 1);
  for (std::uint64_t number = frozen; number <= head; ++number) {
    const auto block = nlohmann::json::parse(blocks[number]);
    const Hash hash = *Hash::from_hex(block["hash"].get<std::string>());
    EXPECT_EQ(decode_hash(stored.at(canonical_hash_key(number))), hash);
    EXPECT_EQ(decode_number(stored.at(block_number_key(hash))), number);
    EXPECT_EQ(stored.at(block_number_key(hash)), encode_number(number));
    EXPECT_EQ(stored.at(header_key(number, hash)), raw(block["headerRlp"]));
    EXPECT_EQ(stored.at(receipts_key(number, hash)), raw(block["receiptsStorageRlp"]));
    if (number == head) {
      EXPECT_EQ(decode_hash(stored.at(std::string{kHeadBlockKey})), hash);
      EXPECT_EQ(decode_hash(stored.at(std::string{kHeadHeaderKey})), hash);
    }
  }
  const auto sections = golden()["stored_sections"].get<std::uint64_t>();
  const auto size = golden()["section_size"].get<std::uint64_t>();
  EXPECT_EQ(decode_number(stored.at(std::string{kSectionCountKey})), sections);
  for (std::uint64_t section = 0; section < sections; ++section) {
    const auto last = nlohmann::json::parse(blocks[(section + 1) * size - 1]);
    const auto last_hash = Hash::from_hex(last["hash"].get<std::string>());
    EXPECT_EQ(decode_hash(stored.at(section_head_key(section))), last_hash);
    EXPECT_TRUE(stored.contains(bloom_bits_key(64, section, *last_hash)));
  }
}

TEST(Schema, TakesNothingElseForAKeyOfOurs) {
  const std::string hash(32, 'h');
  for (const std::string& key :
       {std::string{}, std::string{"h"}, hash, "B" + hash, "h" + std::string(9, 'x'),
        "h" + std::string(41, 'x'), "l" + std::string(31, 'x'), std::string{"iBshead"},
        std::string{"iBcounts"}, "r" + std::string(41, 'x'), std::string{"fm-R"}})
    EXPECT_EQ(parse_key(key), SchemaKey{}) << key;
}

TEST(Schema, TakesNoValuesOfOtherLengths) {
  EXPECT_FALSE(decode_number("short"));
  EXPECT_FALSE(decode_hash("short"));
}

TEST(Schema, KnowsTheKeysOfTransactionLookups) {
  const std::string key = "l" + std::string{text_of(filled_hash(4).bytes)};
  EXPECT_EQ(parse_key(key), (SchemaKey{KeyKind::kTransactionLookup, 0, 0, filled_hash(4)}));
}

}  // namespace
}  // namespace bloomery::ethlog
