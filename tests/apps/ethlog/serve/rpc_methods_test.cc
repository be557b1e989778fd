#include "apps/ethlog/serve/rpc_methods.h"

#include "apps/ethlog/json/block_json.h"
#include "apps/ethlog/model/sender.h"
#include "apps/ethlog/serve/page.h"
#include "tests/apps/ethlog/serve/rpc_chain.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RpcMethods, TellWhatClientsAskWhenTheyConnect) {
  ServedChain served{store_in_memory(), {}, 11155111};
  EXPECT_EQ(served.call("eth_blockNumber")["result"], "0x0");
  served.add(made_chain(0, 20, Hash{}));
  EXPECT_EQ(served.call("eth_blockNumber")["result"], "0x13");
  EXPECT_EQ(served.call("eth_chainId")["result"], "0xaa36a7");
  EXPECT_EQ(served.call("net_version")["result"], "11155111");
  EXPECT_EQ(served.call("net_listening")["result"], true);
  EXPECT_EQ(served.call("eth_syncing")["result"], false);
  EXPECT_EQ(served.call("web3_clientVersion")["result"], "bloomery/test");
  EXPECT_EQ(served.call("rpc_modules")["result"]["eth"], "1.0");
}

TEST(RpcMethods, GiveTheMembersOfAHeader) {
  ServedChain served{store_in_memory()};
  const auto chain = made_chain(0, 5, Hash{});
  served.add(chain);
  const json block = served.call("eth_getBlockByNumber", {"0x3", false})["result"];
  const Header& header = chain[3].header;
  EXPECT_EQ(block["hash"], header.hash.hex());
  EXPECT_EQ(block["parentHash"], header.parent_hash->hex());
  EXPECT_EQ(block["number"], "0x3");
  EXPECT_EQ(block["timestamp"], "0x3eb");
  EXPECT_EQ(block["difficulty"], "0x20000");
  EXPECT_EQ(block["extraData"], to_hex(bytes_of("sample")));
  EXPECT_EQ(block["nonce"], "0x0000000000000000");
  EXPECT_EQ(block["logsBloom"], header.bloom.hex());
  EXPECT_EQ(block["uncles"], json::array());
  EXPECT_EQ(block["transactions"].size(), 1U);
  EXPECT_EQ(block["size"], to_quantity(header.rlp.size() + chain[3].body_rlp.size() + 2));
  EXPECT_FALSE(block.contains("baseFeePerGas"));
  EXPECT_FALSE(block.contains("totalDifficulty"));
  EXPECT_EQ(served.call("eth_getBlockByHash", {header.hash.hex(), false})["result"], block);
  EXPECT_EQ(served.call("eth_getBlockByNumber", {"latest", false})["result"]["number"], "0x4");
  EXPECT_EQ(served.call("eth_getBlockByNumber", {"earliest", false})["result"]["number"], "0x0");
  EXPECT_EQ(served.call("eth_getBlockByNumber", {"0x5", false})["result"], nullptr);
  EXPECT_EQ(served.call("eth_getBlockByNumber", {"pending", false})["result"], nullptr);
  EXPECT_EQ(served.call("eth_getBlockByHash", {Hash{}.hex(), false})["result"], nullptr);
  EXPECT_EQ(served.call("eth_getBlockByNumber", {"finalized", false})["error"]["message"],
            "finalized block not found");
  json only = served.call("eth_getHeaderByNumber", {"0x3"})["result"];
  EXPECT_FALSE(only.contains("transactions"));
  EXPECT_EQ(only["stateRoot"], block["stateRoot"]);
  EXPECT_EQ(served.call("eth_getHeaderByHash", {header.hash.hex()})["result"], only);
  EXPECT_EQ(served.call("eth_getBlockTransactionCountByNumber", {"0x3"})["result"], "0x1");
}

// Every member that go-ethereum has of a block after Cancun, from the parts of a stored block.
TEST(RpcMethods, GiveTheMembersOfLaterForks) {
  ServedChain served{store_in_memory()};
  ImportedBlock block = sample_block(7, filled_hash(3));
  served.add({block}, Gaps::kAllowed);
  const json told = served.call("eth_getBlockByNumber", {"0x7", false})["result"];
  EXPECT_EQ(told["baseFeePerGas"], "0x7");
  EXPECT_EQ(told["blobGasUsed"], "0x0");
  EXPECT_EQ(told["parentBeaconBlockRoot"], filled_hash(9).hex());
  EXPECT_TRUE(told["withdrawals"].is_array());
  EXPECT_EQ(told["hash"], block.header.hash.hex());
}

// An import that gave no header says less, and nothing is made up.
TEST(RpcMethods, LeaveOutWhatIsNotKnown) {
  ServedChain served{store_in_memory()};
  const json line{{"number", 5},
                  {"hash", filled_hash(5).hex()},
                  {"logsBloom", Bloom{}.hex()},
                  {"receipts", {{{"logs", json::array()}}}}};
  JsonlReader reader{lines_in(line.dump() + "\n")};
  served.add({**reader.next()});
  const json block = served.call("eth_getBlockByNumber", {"0x5", false})["result"];
  EXPECT_EQ(block, (json{{"hash", filled_hash(5).hex()},
                         {"logsBloom", Bloom{}.hex()},
                         {"number", "0x5"},
                         {"timestamp", "0x0"}}));
  const json receipts = served.call("eth_getBlockReceipts", {"0x5"})["result"];
  ASSERT_EQ(receipts.size(), 1U);
  for (const char* unknown : {"status", "root", "cumulativeGasUsed", "gasUsed", "from", "to",
                              "contractAddress", "effectiveGasPrice", "transactionHash"})
    EXPECT_FALSE(receipts[0].contains(unknown)) << unknown;
  EXPECT_EQ(receipts[0]["logs"], json::array());
}

Bytes dynamic_fee_transaction(std::uint64_t tip, std::uint64_t most, const Bytes& to) {
  RlpWriter out;
  out.begin_list();
  for (const std::uint64_t number :
       {std::uint64_t{1}, std::uint64_t{9}, tip, most, std::uint64_t{21'000}})
    out.number(number);
  out.bytes(to);
  out.number(5);
  out.bytes({});
  out.begin_list();
  out.end_list();
  for (int i = 0; i < 3; ++i) out.number(1);
  out.end_list();
  Bytes typed{std::byte{2}};
  const Bytes list = out.take();
  typed.insert(typed.end(), list.begin(), list.end());
  return typed;
}

TEST(RpcMethods, TellOfReceiptsWhatTheirTransactionsTell) {
  RlpWriter body;
  body.begin_list();
  body.begin_list();
  body.bytes(dynamic_fee_transaction(2, 100, Bytes(20, std::byte{0xaa})));
  body.bytes(dynamic_fee_transaction(50, 10, {}));
  body.end_list();
  body.begin_list();
  body.end_list();
  body.begin_list();
  body.end_list();
  body.end_list();
  ImportedBlock block;
  block.body_rlp = body.take();
  for (const std::uint64_t gas : {21'000, 54'321}) {
    Receipt& receipt = block.receipts.emplace_back();
    receipt.type = 2;
    receipt.succeeded = gas == 21'000;
    receipt.cumulative_gas_used = gas;
    receipt.extra_json = R"({"from":"0xfeed","gasUsed":"0x0"})";
  }
  block.has_receipts = true;
  const auto decoded = decode_body(block.body_rlp);
  ASSERT_TRUE(decoded);
  block.header = *decode_header(header_rlp(8, filled_hash(1), *decoded, block.receipts));
  ServedChain served{store_in_memory()};
  served.add({block});
  const json receipts = served.call("eth_getBlockReceipts", {block.header.hash.hex()})["result"];
  ASSERT_EQ(receipts.size(), 2U);
  EXPECT_EQ(receipts[0]["effectiveGasPrice"], "0x9");  // the base fee is 7
  EXPECT_EQ(receipts[0]["to"], "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
  EXPECT_EQ(receipts[0]["contractAddress"], nullptr);
  // Recovered from the signature, whatever was said; without libsecp256k1 what was said is kept.
  const std::string signer = "0x778a86414da3394462e8197482efd89fe997ed0c";
  EXPECT_EQ(receipts[0]["from"], recovers_senders() ? signer : "0xfeed");
  EXPECT_EQ(receipts[0]["gasUsed"], "0x5208");  // recomputed, whatever was said
  EXPECT_EQ(receipts[0]["status"], "0x1");
  EXPECT_EQ(receipts[1]["effectiveGasPrice"], "0xa");
  EXPECT_EQ(receipts[1]["to"], nullptr);
  EXPECT_EQ(receipts[1].contains("contractAddress"), recovers_senders());
  EXPECT_EQ(receipts[1]["gasUsed"], "0x8229");
  EXPECT_EQ(receipts[1]["status"], "0x0");
  EXPECT_EQ(receipts[1]["type"], "0x2");
  EXPECT_EQ(receipts[1]["transactionIndex"], "0x1");
  EXPECT_EQ(receipts[1]["transactionHash"], decoded->transactions[1].hash().hex());
  EXPECT_EQ(
      served.call("eth_getBlockReceipts", {{{"blockHash", block.header.hash.hex()}}})["result"],
      receipts);
  EXPECT_EQ(served.call("eth_getBlockReceipts", {{{"blockNumber", "0x8"}}})["result"], receipts);
}

// ---- what the server tells about itself

ServerSnapshot some_facts(ServedChain& served) {
  served.add(made_chain(0, 30, Hash{}));
  served.call("eth_getLogs", {{{"fromBlock", "0x0"}, {"address", Address{}.hex()}}});
  served.call("eth_getLogs", {{{"fromBlock", "0x9"}, {"toBlock", "0x1"}}});
  served.call("no_such");
  ServerSnapshot snapshot;
  snapshot_chain(served.live, "/nowhere", snapshot);
  snapshot.methods = served.service.statistics.methods();
  snapshot.totals = served.service.statistics.totals();
  snapshot.totals.cost.index += {.sections = 40, .sections_threaded = 37, .vectors_shared = 12};
  snapshot.last_queries = served.service.statistics.last_queries();
  snapshot.follow = FollowCounts{.blocks = 3, .last_error = "<script>alert(\"x\")</script>"};
  return snapshot;
}

TEST(ServerSnapshot, AreMetricsThatPrometheusReads) {
  ServedChain served{store_in_memory()};
  const std::string text = metrics_text(some_facts(served));
  for (const char* line :
       {"\nbloomery_head_block 29\n", "\nbloomery_blocks 30\n", "\nbloomery_queries_total 2\n",
        "\nbloomery_rpc_calls_total{method=\"eth_getLogs\"} 2\n",
        "\nbloomery_rpc_errors_total{method=\"eth_getLogs\"} 1\n",
        "\nbloomery_rpc_errors_total{method=\"other\"} 1\n", "\nbloomery_query_logs_total 5\n",
        "\nbloomery_indexed_blocks{index=\"bloombits\"} 0\n",
        "\nbloomery_query_sections_threaded_total 37\n",
        "\nbloomery_query_vectors_shared_total 12\n", "\nbloomery_real_false_positive_rate "})
    EXPECT_THAT(text, HasSubstr(line));
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.starts_with("# HELP bloomery_") || line.starts_with("# TYPE bloomery_") ||
                (line.starts_with("bloomery_") && line.find(' ') != std::string::npos))
        << line;
}

TEST(ServerSnapshot, AreAPageWithoutForeignText) {
  ServedChain served{store_in_memory()};
  const std::string page = page_html(some_facts(served));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&quot;x&quot;)"));
  EXPECT_THAT(page, HasSubstr("<tr><th>head</th><td>29</td></tr>"));
  EXPECT_THAT(page, HasSubstr("real false-positive rate"));
  EXPECT_THAT(page, HasSubstr("40, of them by threads 37"));
  EXPECT_THAT(page, HasSubstr("error -32602"));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(std::string{page_policy()}, HasSubstr("default-src 'none'"));
}

TEST(ServerSnapshot, AreHealthInOneObject) {
  ServedChain served{store_in_memory()};
  const json health = json::parse(health_text(some_facts(served)));
  EXPECT_EQ(health["status"], "ok");
  EXPECT_EQ(health["head"], 29);
  EXPECT_EQ(health["problem"], "<script>alert(\"x\")</script>");
}

}  // namespace
}  // namespace bloomery::ethlog
