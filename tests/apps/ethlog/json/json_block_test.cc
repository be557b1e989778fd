#include "apps/ethlog/json/json_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/ethlog/json/block_json.h"
#include "apps/ethlog/json/transaction_rlp.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr Verified kAllButParent{true, false, true, true, true};

json golden_json(const std::string& name) {
  std::ifstream file{golden_path(name)};
  return json::parse(file);
}

ImportedBlock checked_block(const json& block) {
  Result<ImportedBlock> read = block_from_json(block);
  EXPECT_TRUE(read) << read.error().message;
  if (!read) return {};
  const Status checked = check_block(*read);
  EXPECT_TRUE(checked) << checked.error().message;
  return std::move(*read);
}

// As a store gives it back.
ImportedBlock stored_block(ImportedBlock block) {
  ChainStore store = store_in_memory();
  const Hash hash = block.header.hash;
  const std::uint64_t number = block.header.number;
  const auto added = store.add(std::move(block), Gaps::kAllowed);
  EXPECT_TRUE(added) << added.error().message;
  const auto stored = store.reader().block(number, hash);
  EXPECT_TRUE(stored && *stored);
  return stored && *stored ? **stored : ImportedBlock{};
}

// The hash of the members of a header.
std::string hash_of(const json& members) {
  const auto rlp = encode_header([&](std::string_view name) {
    return members.contains(name) ? std::optional{members[name].get<std::string>()} : std::nullopt;
  });
  return keccak_hash(**rlp).hex();
}

json latest_block() { return golden_json("rpc_blocks.json")["blocks"]["latest"]; }
json optimism_block() { return golden_json("rpc_blocks.json")["blocks"]["optimism"]; }

TEST(TransactionRlp, HashesAsTheNodeSays) {
  std::set<std::string> types;
  const auto expect_hash = [&](const json& transaction) {
    const auto rlp = encode_transaction(transaction);
    ASSERT_TRUE(rlp) << transaction.dump();
    EXPECT_EQ(keccak_hash(*rlp).hex(), transaction["hash"].get<std::string>());
    types.insert(transaction["type"].get<std::string>());
  };
  const json golden = golden_json("rpc_blocks.json");
  for (const json& transaction : golden["transactions"]) expect_hash(transaction);
  EXPECT_EQ(types, (std::set<std::string>{"0x0", "0x1", "0x2", "0x3", "0x4", "0x6a", "0x7e"}));
}

TEST(TransactionRlp, IsThatOfASecondWriter) {
  std::size_t cases = 0;
  for (const json& one : golden_json("rpc_transactions.json")) {
    const auto rlp = encode_transaction(one["transaction"]);
    ASSERT_TRUE(rlp) << one["name"];
    EXPECT_EQ(to_hex(*rlp), one["rlp"].get<std::string>()) << one["name"];
    ++cases;
  }
  EXPECT_EQ(cases, 36U);
}

TEST(TransactionRlp, IsNoneOfUnknownTypesAndMalformedMembers) {
  for (const json& one : golden_json("rpc_transactions.json")) {
    const json& good = one["transaction"];
    for (const json& type : {json("0x5"), json("0x71"), json("0xff"), json("x"), json(-1)}) {
      json bad = good;
      bad["type"] = type;
      EXPECT_FALSE(encode_transaction(bad)) << bad.dump();
    }
    for (const auto& [name, value] : good.items()) {
      if (name == "hash") continue;
      for (const json& wrong : {json("0xzz"), json(1.5), json::object(), json({1}), json("0x")}) {
        json bad = good;
        bad[name] = wrong;
        const auto rlp = encode_transaction(bad);
        if (rlp) {
          EXPECT_TRUE(to_hex(*rlp) == one["rlp"] || wrong == "0x") << name << wrong;
        }
      }
    }
  }
}

TEST(JsonBlock, OfEveryForkOfEthereumGivesItsHash) {
  const json golden = golden_json("rpc_blocks.json");
  std::size_t blocks = 0;
  for (const auto& [name, json_block] : golden["blocks"].items()) {
    const ImportedBlock block = checked_block(json_block);
    EXPECT_TRUE(block.verified.header_hash) << name;
    EXPECT_EQ(keccak_hash(block.header.rlp), block.header.hash) << name;
    if (json_block.contains("receipts")) {
      EXPECT_EQ(block.verified, kAllButParent) << name;
    }
    ++blocks;
  }
  EXPECT_EQ(blocks, 9U);
}

TEST(JsonBlock, OfDevelopmentNodesIsVerifiedWhole) {
  std::size_t blocks = 0;
  for (const std::string& line : golden_lines("rpc_nodes.jsonl")) {
    const json one = json::parse(line);
    json joined = one["block"];
    if (one.contains("receipts")) joined["receipts"] = one["receipts"];
    const ImportedBlock block = checked_block(joined);
    EXPECT_TRUE(block.verified.body && block.verified.header_hash) << line.substr(0, 100);
    EXPECT_EQ(block.verified.receipts_root, block.has_receipts);
    EXPECT_EQ(block.has_receipts, one.contains("receipts") || block.header.number == 0);
    EXPECT_TRUE(block.transaction_json.empty());
    EXPECT_EQ(decode_body(block.body_rlp)->transactions.size(), joined["transactions"].size());
    ++blocks;
  }
  EXPECT_EQ(blocks, 10U);
}

// ganache hashes the status of a failure as one zero byte.
TEST(JsonBlock, OfGanacheIsVerifiedByItsOwnReceiptOfAFailure) {
  std::size_t failed = 0;
  for (const std::string& line : golden_lines("rpc_nodes.jsonl")) {
    const json one = json::parse(line);
    json block = one["block"];
    if (one.contains("receipts") || block["number"] != "0x5") continue;
    block["receipts"] = {{{"type", "0x0"},
                          {"status", "0x0"},
                          {"cumulativeGasUsed", block["gasUsed"]},
                          {"logs", json::array()}}};
    EXPECT_EQ(stored_block(*block_from_json(block)).verified, kAllButParent);
    block["receipts"][0]["status"] = "0x1";
    ImportedBlock other = *block_from_json(block);
    EXPECT_THAT(check_block(other).error().message, HasSubstr("the root of its receipts is 0x"));
    ++failed;
  }
  EXPECT_EQ(failed, 1U);
}

TEST(JsonBlock, OfOptimismIsVerifiedByItsDeposits) {
  const json good = optimism_block();
  const ImportedBlock block = stored_block(checked_block(good));
  EXPECT_EQ(block.verified, kAllButParent);
  EXPECT_FALSE(block.receipts[0].further_items.empty());
  EXPECT_THAT(block.transaction_json.at(0), HasSubstr(R"("nonce":"0x111")"));
  ImportedBlock again = block;
  ASSERT_TRUE(check_block(again));
  EXPECT_EQ(again.verified, kAllButParent);
  json other = good;
  other["receipts"][0]["depositNonce"] = "0x112";
  EXPECT_FALSE(checked_block(other).verified.receipts_root);
  other["receipts"][0].erase("depositReceiptVersion");
  EXPECT_FALSE(checked_block(other).verified.receipts_root);
}

// From the fork Isthmus on: a root of a contract where the withdrawals root stands.
TEST(JsonBlock, OfOptimismMayHaveTheRootOfAContractForItsWithdrawals) {
  json block = optimism_block();
  block["withdrawalsRoot"] = filled_hash(0x77).hex();
  block["hash"] = hash_of(block);
  block.erase("receipts");
  block["transactions"][0]["blockHash"] = block["hash"];
  EXPECT_TRUE(checked_block(block).verified.body);
}

TEST(JsonBlock, WithTransactionsOfUnknownTypesKeepsReceiptsAndWhatWasSaid) {
  for (const char* type : {"0x71", "0xff", "0x3f"}) {
    json one = latest_block();
    one["transactions"][1]["type"] = type;
    one["transactions"][1]["customData"] = "0x1234";
    one["receipts"][1]["type"] = type;
    const ImportedBlock block = stored_block(checked_block(one));
    EXPECT_EQ(block.verified, (Verified{true, false, true, false, false})) << type;
    EXPECT_TRUE(block.body_rlp.empty());
    EXPECT_EQ(block.receipts.size(), 4U);
    EXPECT_EQ(block.receipts[1].logs.size(), 10U);
    EXPECT_EQ(to_quantity(block.receipts[1].type), type);
    EXPECT_EQ(block.transaction_hashes.size(), 4U);
    const json kept = json::parse(block.transaction_json.at(1));
    EXPECT_EQ(kept["customData"], "0x1234");
    EXPECT_EQ(kept["input"], one["transactions"][1]["input"]);
    EXPECT_FALSE(kept.contains("hash"));
  }
}

TEST(JsonBlock, WhoseTransactionDoesNotGiveItsHashIsRefusedOrHasNoBody) {
  json block = latest_block();
  block["transactions"][2]["value"] = "0x123";
  EXPECT_THAT(block_from_json(block).error().message,
              HasSubstr("transaction 2: its members give the hash"));
  // Another chain may have hashed more, or hash what nobody signed by a rule of its own.
  block["transactions"][2]["customData"] = "0x1234";
  EXPECT_EQ(checked_block(block).verified, (Verified{true, false, true, true, false}));
  block["transactions"][2].erase("customData");
  block["transactions"][2]["s"] = "0x0";
  EXPECT_EQ(checked_block(block).verified, (Verified{true, false, true, true, false}));
  block = latest_block();
  std::swap(block["transactions"][0], block["transactions"][1]);
  std::swap(block["receipts"][0]["transactionHash"], block["receipts"][1]["transactionHash"]);
  Result<ImportedBlock> swapped = block_from_json(block);
  ASSERT_TRUE(swapped);
  EXPECT_THAT(check_block(*swapped).error().message,
              HasSubstr("the root of the transactions in its body is 0x"));
  block = latest_block();
  block["uncles"] = {filled_hash(1).hex()};  // known by hash alone
  EXPECT_EQ(checked_block(block).verified, (Verified{true, false, true, true, false}));
}

TEST(JsonBlock, KeepsFurtherMembersOfItsHeader) {
  json one = latest_block();
  one["l1BlockNumber"] = "0x12";
  one["sendRoot"] = filled_hash(3).hex();
  const ImportedBlock block = stored_block(checked_block(one));
  EXPECT_TRUE(block.verified.header_hash);
  const json kept = json::parse(block.header_json);
  EXPECT_EQ(kept["l1BlockNumber"], "0x12");
  EXPECT_FALSE(kept.contains("gasLimit"));
  std::string served;
  append_block_json(served, block, TransactionList::kHashes);
  EXPECT_EQ(json::parse(served)["sendRoot"], one["sendRoot"]);
  EXPECT_EQ(json::parse(served)["gasLimit"], one["gasLimit"]);
}

// A fork that comes after this program: two members more, of which nodes also write others.
json block_of_a_later_fork() {
  json block = latest_block();
  RlpFailure failure;
  const ImportedBlock known = *block_from_json(block);
  RlpReader items = RlpReader::of_list(known.header.rlp, failure, "header");
  RlpWriter out;
  out.begin_list();
  while (!items.done()) out.item(items.item("member"));
  out.bytes(filled_hash(0x66).bytes);
  out.number(9);
  out.end_list();
  block["zNewRoot"] = filled_hash(0x66).hex();
  block["aNewCount"] = "0x9";
  block["note"] = "none of these";
  block["l1BlockNumber"] = "0x12";
  block["hash"] = keccak_hash(out.take()).hex();
  block.erase("receipts");
  return block;
}

TEST(JsonBlock, OfALaterForkIsVerifiedWhereItsNewMembersGiveItsHash) {
  json later = block_of_a_later_fork();
  const ImportedBlock block = stored_block(checked_block(later));
  EXPECT_TRUE(block.verified.header_hash && block.verified.body);
  EXPECT_EQ(json::parse(block.header_json)["aNewCount"], "0x9");
  later["aNewCount"] = "0xa";
  const ImportedBlock other = stored_block(checked_block(later));
  EXPECT_EQ(other.verified, Verified{});
  EXPECT_TRUE(other.header.rlp.empty());
  EXPECT_EQ(json::parse(other.header_json)["miner"], later["miner"]);
  std::string served;
  append_block_json(served, other, TransactionList::kHashes);
  EXPECT_EQ(json::parse(served)["miner"], later["miner"]);
}

TEST(JsonBlock, OfAChainThatHashesFewerMembersIsVerified) {
  json block = latest_block();
  json fewer = block;
  for (const char* name : {"withdrawalsRoot", "blobGasUsed", "excessBlobGas",
                           "parentBeaconBlockRoot", "requestsHash", "baseFeePerGas"})
    fewer.erase(name);
  block["hash"] = hash_of(fewer);
  block.erase("receipts");
  block.erase("withdrawals");
  const ImportedBlock read = stored_block(checked_block(block));
  EXPECT_TRUE(read.verified.header_hash && read.verified.body);
  EXPECT_EQ(json::parse(read.header_json)["baseFeePerGas"], block["baseFeePerGas"]);
}

TEST(JsonBlock, WhoseHeaderDoesNotGiveItsHashIsUnverifiedUnlessTheOneBeforeDid) {
  const ImportedBlock parent = sample_block(0x35, filled_hash(4));
  json block = latest_block();
  block["parentHash"] = parent.header.hash.hex();
  ImportedBlock read = checked_block(block);
  EXPECT_TRUE(read.header_contradicts);
  EXPECT_EQ(read.verified, (Verified{false, false, true, true, false}));
  EXPECT_FALSE(stored_block(read).verified.header_hash);
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.add(parent, Gaps::kAllowed));
  const auto refused = store.add(read, Gaps::kAllowed);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("block 54: its header does not hash to 0x"));
  block["l1BlockNumber"] = "0x1";  // what it is hashed with may be any of these
  EXPECT_TRUE(store.add(*block_from_json(block), Gaps::kAllowed));
}

TEST(JsonBlock, IsCompletedByReceiptsWhateverIsSaidOfItsHeaderThen) {
  const ImportedBlock parent = sample_block(0x35, filled_hash(4));
  json block = latest_block();
  block["parentHash"] = parent.header.hash.hex();
  block["hash"] = hash_of(block);
  for (json& receipt : block["receipts"]) receipt["blockHash"] = block["hash"];
  json bare = block;
  bare.erase("receipts");
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.add(parent, Gaps::kAllowed));
  ASSERT_TRUE(store.add(*block_from_json(bare), Gaps::kAllowed));
  json other = block;
  other["miner"] =
      Address{}.hex() == other["miner"] ? "0x" + std::string(40, '1') : Address{}.hex();
  const ImportedBlock read = *block_from_json(other);
  EXPECT_TRUE(read.header_contradicts);
  const auto added = store.add(read, Gaps::kAllowed);
  ASSERT_TRUE(added) << added.error().message;
  const auto stored = store.reader().block(read.header.number, read.header.hash);
  EXPECT_TRUE((*stored)->has_receipts && (*stored)->verified.header_hash);
}

TEST(JsonBlock, OfANodeWithoutBloomsGetsThatOfItsLogs) {
  const std::string right = latest_block()["logsBloom"];
  for (const std::string fill : {"00", "ff"}) {
    json block = latest_block();
    std::string bloom = "0x";
    for (std::size_t i = 0; i < Bloom::kSize; ++i) bloom += fill;
    block["logsBloom"] = bloom;
    for (json& receipt : block["receipts"]) receipt["logsBloom"] = bloom;
    const ImportedBlock read = stored_block(*block_from_json(block));
    EXPECT_EQ(read.header.bloom.hex(), right);
    EXPECT_EQ(read.verified, (Verified{false, false, false, true, false}));
  }
  json block = latest_block();
  block["logsBloom"] = std::string{right}.replace(100, 1, right[100] == '0' ? "1" : "0");
  Result<ImportedBlock> altered = block_from_json(block);
  ASSERT_TRUE(altered);
  EXPECT_THAT(check_block(*altered).error().message, HasSubstr("logs are missing, foreign"));
}

TEST(JsonBlock, OfPolygonKeepsTheLogsThatItsHeaderDoesNotKnow) {
  json one = latest_block();
  const std::string zero = Address{}.hex();
  const std::string hash = filled_hash(0x99).hex();
  const json log = {{"address", "0x" + std::string(40, '7')}, {"topics", {hash}}, {"data", "0x"}};
  one["transactions"].push_back({{"hash", hash}, {"from", zero}, {"to", zero}, {"type", "0x0"}});
  one["receipts"].push_back({{"transactionHash", hash},
                             {"from", zero},
                             {"to", zero},
                             {"type", "0x0"},
                             {"status", "0x1"},
                             {"cumulativeGasUsed", "0x0"},
                             {"logs", {log}}});
  const ImportedBlock block = stored_block(*block_from_json(one));
  EXPECT_EQ(block.verified, (Verified{false, false, true, false, false}));
  EXPECT_EQ(block.receipts.size(), 5U);
  EXPECT_EQ(block.header.bloom, bloom_of(block.receipts));
  EXPECT_NE(block.header.bloom.hex(), one["logsBloom"]);
  std::string served;
  append_block_json(served, block, TransactionList::kHashes);
  EXPECT_EQ(json::parse(served)["stateRoot"], one["stateRoot"]);
  EXPECT_EQ(json::parse(served)["hash"], one["hash"]);
  // A log that any other receipt has too much is altered data.
  one["receipts"].back()["to"] = "0x" + std::string(40, '1');
  ImportedBlock foreign = *block_from_json(one);
  EXPECT_THAT(check_block(foreign).error().message, HasSubstr("missing, foreign or altered"));
}

TEST(JsonBlock, TakesNoBytesForAMemberThatItsChainDoesNotHave) {
  json block = latest_block();
  block["stateRoot"] = "0x";
  block["receiptsRoot"] = "0x";
  const ImportedBlock read = stored_block(checked_block(block));
  EXPECT_EQ(read.verified, (Verified{false, false, true, false, false}));
  EXPECT_FALSE(read.header.receipts_root);
}

}  // namespace
}  // namespace bloomery::ethlog
