#include <fstream>
#include <set>

#include "apps/ethlog/json/transaction_rlp.h"
#include "apps/ethlog/model/sender.h"
#include "apps/ethlog/model/transaction.h"
#include "apps/ethlog/serve/rpc_methods.h"
#include "tests/apps/ethlog/serve/rpc_chain.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// A block of these transactions, each with a receipt.
ImportedBlock block_of(std::uint64_t number, const std::vector<Bytes>& transactions) {
  RlpWriter body;
  body.begin_list();
  body.begin_list();
  for (const Bytes& one : transactions)
    if (std::to_integer<unsigned>(one[0]) < 0x80)
      body.bytes(one);
    else
      body.item(one);
  body.end_list();
  for (int i = 0; i < 2; ++i) {  // no uncles, no withdrawals
    body.begin_list();
    body.end_list();
  }
  body.end_list();
  ImportedBlock block;
  block.body_rlp = body.take();
  const auto decoded = decode_body(block.body_rlp);
  for (const Transaction& one : decoded->transactions) {
    Receipt& receipt = block.receipts.emplace_back();
    receipt.type = one.type;
    receipt.succeeded = true;
    receipt.cumulative_gas_used = 30'000 * block.receipts.size();
    receipt.logs.resize(block.receipts.size() % 3);
  }
  block.has_receipts = true;
  block.header = *decode_header(header_rlp(number, filled_hash(1), *decoded, block.receipts));
  return block;
}

json signed_transactions() {
  std::ifstream file{golden_path("transactions.json")};
  return json::parse(file).at("transactions");
}

class RpcTransactions : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!recovers_senders()) GTEST_SKIP() << "built without libsecp256k1";
  }
};

// EIP-155's own example, in the order of go-ethereum's struct.
TEST_F(RpcTransactions, AreWrittenMemberByMemberAsGoEthereumDoes) {
  const auto example = bytes_from_hex(
      "0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080"
      "25a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb7"
      "03304b3800ccf555c9f3dc64214b297fb1966a3b6d83");
  ServedChain served{store_in_memory()};
  const ImportedBlock block = block_of(8, {*example});
  served.add({block});
  const std::string hash = keccak_hash(*example).hex();
  const std::string text = served.ask(ServedChain::request("eth_getTransactionByHash", {hash}));
  EXPECT_EQ(
      text,
      R"({"jsonrpc":"2.0","id":1,"result":{"blockHash":")" + block.header.hash.hex() +
          R"(","blockNumber":"0x8","blockTimestamp":"0x3f0","from":"0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f","gas":"0x5208","gasPrice":"0x4a817c800","hash":")" +
          hash +
          R"(","input":"0x","nonce":"0x9","to":"0x3535353535353535353535353535353535353535","transactionIndex":"0x0","value":"0xde0b6b3a7640000","type":"0x0","chainId":"0x1","v":"0x25","r":"0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276","s":"0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"}})");
  const json receipt = served.call("eth_getTransactionReceipt", {hash})["result"];
  EXPECT_EQ(receipt["from"], "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f");
  EXPECT_EQ(receipt["effectiveGasPrice"], "0x4a817c800");
  EXPECT_EQ(receipt["contractAddress"], nullptr);
  EXPECT_EQ(receipt, served.call("eth_getBlockReceipts", {"0x8"})["result"][0]);
}

TEST_F(RpcTransactions, OfEveryTypeAreFoundByHashAndByTheirPlace) {
  ServedChain served{store_in_memory()};
  std::vector<Bytes> all;
  const json golden = signed_transactions();
  for (const json& one : golden)
    all.push_back(*bytes_from_hex(one.at("encoding").get<std::string>()));
  const ImportedBlock block = block_of(8, all);
  served.add({block});
  const json whole = served.call("eth_getBlockByNumber", {"0x8", true})["result"]["transactions"];
  const json receipts = served.call("eth_getBlockReceipts", {"0x8"})["result"];
  ASSERT_EQ(whole.size(), golden.size());
  EXPECT_EQ(
      served.call("eth_getBlockByHash", {block.header.hash.hex(), true})["result"]["transactions"],
      whole);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const std::string hash = golden[i]["hash"];
    EXPECT_EQ(whole[i]["hash"], hash);
    EXPECT_EQ(whole[i]["from"], golden[i]["from"]);
    EXPECT_EQ(whole[i]["transactionIndex"], to_quantity(i));
    EXPECT_EQ(whole[i].contains("yParity"), golden[i]["type"] > 0);
    EXPECT_EQ(whole[i].contains("accessList"), golden[i]["type"] > 0);
    EXPECT_EQ(whole[i].contains("maxPriorityFeePerGas"), golden[i]["type"] > 1);
    EXPECT_EQ(whole[i].contains("blobVersionedHashes"), golden[i]["type"] == 3);
    EXPECT_EQ(whole[i].contains("authorizationList"), golden[i]["type"] == 4);
    EXPECT_EQ(served.call("eth_getTransactionByHash", {hash})["result"], whole[i]);
    EXPECT_EQ(served.call("eth_getTransactionByBlockNumberAndIndex",
                          {"latest", to_quantity(i)})["result"],
              whole[i]);
    EXPECT_EQ(served.call("eth_getTransactionByBlockHashAndIndex",
                          {block.header.hash.hex(), to_quantity(i)})["result"],
              whole[i]);
    EXPECT_EQ(served.call("eth_getTransactionReceipt", {hash})["result"], receipts[i]);
    EXPECT_EQ(receipts[i]["contractAddress"], golden[i]["contract"]);
    EXPECT_EQ(receipts[i]["gasUsed"], "0x7530");
    EXPECT_EQ(receipts[i]["effectiveGasPrice"], whole[i]["gasPrice"]);
  }
  for (const char* beyond : {"0x5000", "0xffffffffffffffff"})
    EXPECT_EQ(served.call("eth_getTransactionByBlockNumberAndIndex", {"0x8", beyond})["result"],
              nullptr);
  EXPECT_EQ(served.call("eth_getTransactionByBlockNumberAndIndex", {"0x9", "0x0"})["result"],
            nullptr);
  EXPECT_EQ(served.call("eth_getTransactionByHash", {filled_hash(9).hex()})["result"], nullptr);
  EXPECT_EQ(served.call("eth_getTransactionReceipt", {filled_hash(9).hex()})["result"], nullptr);
}

json golden_blocks() {
  std::ifstream file{golden_path("rpc_blocks.json")};
  return json::parse(file);
}

ImportedBlock imported(const json& block) {
  JsonlReader reader{lines_in(block.dump() + "\n")};
  auto read = reader.next();
  EXPECT_TRUE(read) << read.error().message;
  return std::move(**read);
}

// Whole blocks with their receipts as go-ethereum itself answered them (ethereum/execution-apis).
TEST_F(RpcTransactions, AndTheirBlocksAndReceiptsAreThoseThatGoEthereumAnswers) {
  const json golden = golden_blocks()["blocks"];
  for (const char* name : {"latest", "by-hash"}) {
    json block = golden[name];
    ServedChain served{store_in_memory()};
    served.add({imported(block)}, Gaps::kAllowed);
    const json receipts = block["receipts"];
    block.erase("receipts");
    EXPECT_EQ(served.call("eth_getBlockByHash", {block["hash"], true})["result"], block) << name;
    EXPECT_EQ(served.call("eth_getBlockReceipts", {block["hash"]})["result"], receipts) << name;
    for (std::size_t i = 0; i < receipts.size(); ++i)
      EXPECT_EQ(
          served.call("eth_getTransactionReceipt", {receipts[i]["transactionHash"]})["result"],
          receipts[i]);
  }
}

std::vector<std::string> names_of(const nlohmann::ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

// One of each type, as go-ethereum answered it; here it is in another block.
TEST_F(RpcTransactions, OfEachTypeHaveTheMembersThatGoEthereumAnswers) {
  std::ifstream file{golden_path("rpc_blocks.json")};
  const auto golden = nlohmann::ordered_json::parse(file)["transactions"];
  std::set<std::string> types;
  for (const auto& [name, expected] : golden.items()) {
    const auto encoding = encode_transaction(json::parse(expected.dump()));
    ASSERT_TRUE(encoding) << name;
    const std::string type = expected["type"];
    if (type.size() > 3) continue;  // of another chain
    types.insert(type);
    ServedChain served{store_in_memory()};
    served.add({block_of(8, {*encoding})});
    auto answer = nlohmann::ordered_json::parse(
        served.ask(ServedChain::request("eth_getTransactionByHash", {expected["hash"]})))["result"];
    EXPECT_EQ(names_of(answer), names_of(expected)) << name;
    for (const auto& [member, value] : expected.items()) {
      const bool of_its_place = member == "transactionIndex" || member.starts_with("blockH") ||
                                member.starts_with("blockN") || member.starts_with("blockT");
      if (member == "gasPrice" || of_its_place) continue;
      EXPECT_EQ(answer[member], value) << name << " " << member;
    }
  }
  EXPECT_EQ(types, (std::set<std::string>{"0x0", "0x1", "0x2", "0x3", "0x4"}));
}

// A deposit of Optimism's: every member that its node gave is answered.
TEST_F(RpcTransactions, OfOtherChainsKeepWhatTheirNodeSaid) {
  json block = golden_blocks()["blocks"]["optimism"];
  ServedChain served{store_in_memory()};
  served.add({imported(block)}, Gaps::kAllowed);
  const json transaction = block["transactions"][0];
  json found = served.call("eth_getTransactionByHash", {transaction["hash"]})["result"];
  for (const auto& [name, value] : transaction.items()) EXPECT_EQ(found[name], value) << name;
  EXPECT_EQ(served.call("eth_getBlockByHash", {block["hash"], true})["result"]["transactions"][0],
            found);
  json receipt = served.call("eth_getTransactionReceipt", {transaction["hash"]})["result"];
  for (const auto& [name, value] : block["receipts"][0].items())
    EXPECT_EQ(receipt[name], value) << name;
}

// Of a type that nobody knows: the encoding is kept, and what any transaction has is answered.
TEST_F(RpcTransactions, OfUnknownTypesAreAnsweredFromWhatIsStored) {
  RlpWriter list;
  list.begin_list();
  list.number(5);
  list.end_list();
  Bytes deposit{std::byte{0x5f}};
  const Bytes items = list.take();
  deposit.insert(deposit.end(), items.begin(), items.end());
  ImportedBlock block = block_of(8, {deposit});
  block.receipts[0].extra_json =
      R"({"from":"0x3535353535353535353535353535353535353535","depositNonce":"0x7"})";
  ServedChain served{store_in_memory()};
  served.add({block});
  const std::string hash = keccak_hash(deposit).hex();
  const json expected{{"blockHash", block.header.hash.hex()},
                      {"blockNumber", "0x8"},
                      {"blockTimestamp", "0x3f0"},
                      {"from", "0x3535353535353535353535353535353535353535"},
                      {"hash", hash},
                      {"transactionIndex", "0x0"},
                      {"type", "0x5f"}};
  EXPECT_EQ(served.call("eth_getTransactionByHash", {hash})["result"], expected);
  EXPECT_EQ(served.call("eth_getBlockByNumber", {"0x8", true})["result"]["transactions"][0],
            expected);
  const json receipt = served.call("eth_getTransactionReceipt", {hash})["result"];
  EXPECT_EQ(receipt["depositNonce"], "0x7");
  EXPECT_EQ(receipt["type"], "0x5f");
  EXPECT_FALSE(receipt.contains("to"));
}

TEST_F(RpcTransactions, AreCountedByTheBodyWhereThereAreNoReceipts) {
  ServedChain served{store_in_memory()};
  ImportedBlock block = sample_block(7, filled_hash(3));
  block.receipts.clear();
  block.has_receipts = false;
  served.add({block}, Gaps::kAllowed);
  EXPECT_EQ(served.call("eth_getBlockTransactionCountByNumber", {"0x7"})["result"], "0x4");
  const std::string hash = decode_body(block.body_rlp)->transactions[0].hash().hex();
  EXPECT_THAT(
      served.call("eth_getTransactionReceipt", {hash})["error"]["message"].get<std::string>(),
      HasSubstr("the receipts of block 0x7 are not stored"));
}

TEST_F(RpcTransactions, WithoutABodyAreAnErrorThatSaysSo) {
  ServedChain served{store_in_memory()};
  served.add(golden_chain());
  const std::string hash = golden_chain()[4].transaction_hashes.at(1).hex();
  for (const auto& [method, params] :
       {std::pair{"eth_getTransactionByHash", ServedChain::Params{hash}},
        std::pair{"eth_getBlockByNumber", ServedChain::Params{"0x4", true}},
        std::pair{"eth_getTransactionByBlockNumberAndIndex", ServedChain::Params{"0x4", "0x1"}}})
    EXPECT_THAT(served.call(method, params)["error"]["message"].get<std::string>(),
                HasSubstr("the transactions of block 0x4 are not stored, only their hashes"))
        << method;
  const json receipt = served.call("eth_getTransactionReceipt", {hash})["result"];
  EXPECT_EQ(receipt["transactionIndex"], "0x1");
  EXPECT_EQ(receipt["logs"][0]["logIndex"], "0x2");
  EXPECT_FALSE(receipt.contains("from"));
  EXPECT_EQ(served.call("eth_getBlockByNumber", {"0x0", true})["result"]["transactions"],
            json::array());
}

TEST_F(RpcTransactions, OfAChainThatIsNotIndexedAreNoWrongNull) {
  ServedChain served{store_in_memory()};
  served.add(made_chain(0, 3, Hash{}));
  served.store.reader().set_transaction_index({.rest = BlockRange{0, 2}});
  for (const char* method : {"eth_getTransactionByHash", "eth_getTransactionReceipt"})
    EXPECT_THAT(served.call(method, {filled_hash(9).hex()})["error"]["message"].get<std::string>(),
                HasSubstr("blocks 0 to 2 are not indexed yet"));
}

TEST_F(RpcTransactions, RefuseArgumentsAsGoEthereumDoes) {
  ServedChain served{store_in_memory()};
  const auto refused = [&](const char* method, const ServedChain::Params& params) {
    return served.call(method, params)["error"]["message"].get<std::string>();
  };
  EXPECT_EQ(refused("eth_getTransactionReceipt", {}), "missing value for required argument 0");
  EXPECT_EQ(refused("eth_getTransactionByHash", {"0x12"}),
            "invalid argument 0: hex string has length 2, want 64 for common.Hash");
  EXPECT_EQ(refused("eth_getTransactionByBlockNumberAndIndex", {"0x1"}),
            "missing value for required argument 1");
  EXPECT_THAT(refused("eth_getTransactionByBlockNumberAndIndex", {"0x1", 7}),
              HasSubstr("invalid argument 1: json: cannot unmarshal non-string"));
}

TEST_F(RpcTransactions, OfSafeAndFinalizedBlocksAreThoseOfTheirTags) {
  ServedChain served{store_in_memory()};
  const auto chain = made_chain(0, 8, Hash{});
  served.add(chain);
  for (const auto& [tag, text] : {std::pair{"safe", "safe block not found"},
                                  std::pair{"finalized", "finalized block not found"}})
    EXPECT_EQ(served.call("eth_getBlockByNumber", {tag, false})["error"]["message"], text);
  EXPECT_EQ(served.call("eth_getLogs", {{{"fromBlock", "safe"}}})["error"]["message"],
            "safe header not found");
  ASSERT_TRUE(served.store.set_finality(
      {.safe = BlockId{6, chain[6].header.hash}, .finalized = BlockId{4, chain[4].header.hash}}));
  EXPECT_EQ(served.call("eth_getBlockByNumber", {"safe", false})["result"]["number"], "0x6");
  EXPECT_EQ(served.call("eth_getBlockReceipts", {"finalized"})["result"][0]["blockNumber"], "0x4");
  const json logs =
      served.call("eth_getLogs", {{{"fromBlock", "finalized"}, {"toBlock", "safe"}}})["result"];
  EXPECT_EQ(logs.size(), 3U);
}

}  // namespace
}  // namespace bloomery::ethlog
