#include "apps/ethlog/index/bloombits/index.h"
#include "apps/ethlog/json/rpc_json.h"
#include "apps/ethlog/serve/rpc.h"
#include "apps/ethlog/store/geth_config.h"
#include "apps/ethlog/store/geth_directory.h"
#include "tests/apps/ethlog/serve/rpc_chain.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

json golden(const std::string& name) {
  std::ifstream file{golden_path(name)};
  return json::parse(file);
}

ChainStore golden_store() {
  ChainStore store = store_in_memory();
  EXPECT_TRUE(store.set_section_size(128));
  add_all(store, golden_chain());
  EXPECT_TRUE((BloombitsIndexer{store, 32}.run()));
  return store;
}

ChainStore small_store(std::size_t blocks = 10) {
  ChainStore store = store_in_memory();
  add_all(store, made_chain(0, blocks, Hash{}));
  return store;
}

// ---- geth's own answers

void answers_as_geth(const Rpc& rpc) {
  const json all = golden("getlogs.json");
  for (const json& wanted : all["queries"]) {
    const json request{{"jsonrpc", "2.0"},
                       {"id", 7},
                       {"method", "eth_getLogs"},
                       {"params", json::array({wanted["params"]})}};
    const std::string answer = rpc.answer(request.dump(), {});
    const std::string before = R"({"jsonrpc":"2.0","id":7,"result":)";
    ASSERT_THAT(answer, StartsWith(before)) << wanted["params"];
    const std::string_view result =
        std::string_view{answer}.substr(before.size(), answer.size() - before.size() - 1);
    ASSERT_EQ(keccak_hash(bytes_of(result)).hex(), wanted["result_keccak"]) << wanted["params"];
  }
}

TEST(Rpc, GetsTheLogsThatGethGets) {
  ServedChain served{golden_store()};
  answers_as_geth(Rpc{served.service});
  EXPECT_EQ(served.service.statistics.totals().queries, 63U);
  EXPECT_GT(served.service.statistics.totals().let_through, 0U);
}

TEST(Rpc, GetsThemFromGethsFolderToo) {
  const SampleChaindata chaindata;
  const auto folder = ChainFolder::open(chaindata.path());
  ASSERT_TRUE(folder);
  EXPECT_EQ(*geth_chain_id(folder->reader()), 1337U);
  LiveChain live{folder->reader(), 1};
  RpcService service{live, {}, "test"};
  answers_as_geth(Rpc{service});
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

TEST(Rpc, RefusesCriteriaInTheWordsOfGeth) {
  ServedChain served{small_store()};
  std::size_t refused = 0;
  const json all = golden("criteria_parse.json");
  for (const json& wanted : all["cases"]) {
    const std::string input = wanted["input"];
    if (!wanted.contains("error") || input.starts_with("<")) continue;
    const json answer = json::parse(
        served.ask(R"({"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[)" + input + "]}"));
    EXPECT_EQ(answer["error"]["code"], -32602) << input;
    EXPECT_EQ(answer["error"]["message"],
              "invalid argument 0: " + replaced(wanted["error"], "crit.input", "filters.input"));
    ++refused;
  }
  EXPECT_GT(refused, 15U);
}

// ---- answers that were recorded elsewhere

// The blocks that the recorded answers tell enough of; all others are there without receipts.
std::vector<json> recorded_blocks(const json& recorded) {
  std::map<std::uint64_t, json> blocks;
  const json nothing = json::array();
  blocks[0] = {
      {"number", 0}, {"timestamp", 0}, {"logsBloom", Bloom{}.hex()}, {"receipts", nothing}};
  for (const json& header : recorded["chain_headers"])
    blocks[header["number"]] = {{"number", header["number"]},
                                {"timestamp", header["timestamp"]},
                                {"logsBloom", header["logsBloom"]}};
  for (const json& test : recorded["tests"]) {
    if (test["request"]["method"] != "eth_getBlockReceipts") continue;
    const json& result = test["response"]["result"];
    if (!result.is_array() || result.empty()) continue;
    json& block = blocks[*number_from_quantity(result[0]["blockNumber"].get<std::string>())];
    block["hash"] = result[0]["blockHash"];
    block["receipts"] = result;
  }
  for (const json& test : recorded["tests"]) {
    if (test["file"] != "tests/eth_getLogs/filter-with-blockHash.io") continue;
    const json& log = test["response"]["result"][0];
    json& block = blocks[*number_from_quantity(log["blockNumber"].get<std::string>())];
    block["hash"] = log["blockHash"];
    const json empty{{"transactionHash", filled_hash(1).hex()}, {"logs", nothing}};
    const json full{{"transactionHash", log["transactionHash"]}, {"logs", json::array({log})}};
    block["receipts"] = json::array({empty, full});
  }
  std::vector<json> all;
  for (auto& [number, block] : blocks) {
    if (!block.contains("hash"))
      block["hash"] = filled_hash(static_cast<unsigned>(100 + number)).hex();
    all.push_back(std::move(block));
  }
  return all;
}

TEST(Rpc, AnswersAsTheExecutionApisRecordedIt) {
  std::ifstream file{real_path("rpc_execution_apis.json")};
  if (!file) GTEST_SKIP() << "no recorded answers here";
  const json recorded = json::parse(file);
  ServedChain served{store_in_memory()};
  std::string lines;
  for (const json& block : recorded_blocks(recorded)) lines += block.dump() + "\n";
  JsonlReader reader{lines_in(lines)};
  for (auto block = reader.next(); block && *block; block = reader.next())
    served.add({**block}, Gaps::kAllowed);
  std::size_t compared = 0;
  for (const json& test : recorded["tests"]) {
    const std::string method = test["request"]["method"];
    if (method != "eth_getLogs" && method != "eth_getBlockReceipts") continue;
    EXPECT_EQ(json::parse(served.ask(test["request"].dump())), test["response"]) << test["file"];
    ++compared;
  }
  EXPECT_EQ(compared, 12U);
}

// ---- the protocol

TEST(Rpc, KeepsIdsAsTheyCame) {
  ServedChain served{small_store()};
  for (const std::string id : {"1", "\"a\\u0041\"", "null", "-7.50e3", "123456789012345678901234"})
    EXPECT_EQ(served.ask("{\"jsonrpc\":\"2.0\",\"method\":\"eth_chainId\",\"id\": " + id + " }"),
              "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":\"0x1\"}");
}

TEST(Rpc, TellsWhatIsWrongWithARequest) {
  ServedChain served{small_store()};
  const std::string parse =
      R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}})";
  for (const std::string text : {"{", "nope", "{\"jsonrpc\":\"2.0\"}x", "[1,]", "\xff", "\"\xc3\"",
                                 "[1e]", "[01]", "\"\\ud800\"", "\"\x01\"", "{\"a\":1,}", "{1:2}"})
    EXPECT_EQ(served.ask(text), parse) << text;
  EXPECT_EQ(served.ask(std::string(100'000, '[')), parse);
  EXPECT_EQ(served.ask(""), "");
  EXPECT_EQ(served.ask(" \n"), "");
  const auto invalid = [](const std::string& id) {
    return R"({"jsonrpc":"2.0","id":)" + id +
           R"(,"error":{"code":-32600,"message":"invalid request"}})";
  };
  EXPECT_EQ(served.ask("1"), invalid("null"));
  EXPECT_EQ(served.ask("{}"), invalid("null"));
  EXPECT_EQ(served.ask(R"({"id":3,"method":"eth_chainId"})"), invalid("3"));
  EXPECT_EQ(served.ask(R"({"jsonrpc":"1.0","id":3,"method":"eth_chainId"})"), invalid("3"));
  EXPECT_EQ(served.ask(R"({"jsonrpc":"2.0","id":3,"method":5})"), invalid("3"));
  EXPECT_EQ(served.ask(R"({"jsonrpc":"2.0","id":{},"method":"eth_chainId"})"), invalid("null"));
  EXPECT_EQ(served.ask(R"({"jsonrpc":"2.0","id":[1],"method":"eth_chainId"})"), invalid("null"));
  EXPECT_EQ(served.ask(R"({"jsonrpc":"2.0","id":1,"method":"eth_\u0066oo\""})"),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":)"
            R"("the method eth_foo\" does not exist/is not available"}})");
}

TEST(Rpc, AnswersNeitherNotificationsNorAnswers) {
  ServedChain served{small_store()};
  EXPECT_EQ(served.ask(R"({"jsonrpc":"2.0","method":"eth_chainId"})"), "");
  EXPECT_EQ(served.ask(R"({"jsonrpc":"2.0","method":"eth_foo"})"), "");
  EXPECT_EQ(served.ask(R"({"jsonrpc":"2.0","id":1,"result":5})"), "");
  EXPECT_EQ(served.ask(R"([{"jsonrpc":"2.0","method":"eth_chainId"}])"), "");
}

TEST(Rpc, ChecksArgumentsInTheOrderOfGeth) {
  ServedChain served{small_store()};
  const auto error = [&](const std::string& method, const json& params) {
    const json answer = json::parse(served.ask(ServedChain::request(method, params)));
    EXPECT_EQ(answer["error"]["code"], -32602);
    return answer["error"]["message"].get<std::string>();
  };
  EXPECT_EQ(error("eth_getLogs", json::array()), "missing value for required argument 0");
  EXPECT_EQ(error("eth_getLogs", nullptr), "missing value for required argument 0");
  EXPECT_EQ(error("eth_getLogs", json::object()), "non-array args");
  EXPECT_EQ(error("eth_getLogs", {json::object(), 1}), "too many arguments, want at most 1");
  EXPECT_THAT(error("eth_getLogs", {{{"fromBlock", "1"}}, 1}),
              "invalid argument 0: hex string without 0x prefix");
  EXPECT_EQ(error("eth_blockNumber", json::array({1})), "too many arguments, want at most 0");
  EXPECT_EQ(error("eth_getBlockByNumber", json::array({"0x1"})),
            "missing value for required argument 1");
  EXPECT_EQ(error("eth_getBlockByNumber", {"1", true}),
            "invalid argument 0: hex string without 0x prefix");
  EXPECT_EQ(error("eth_getBlockByNumber", {5, true}),
            "invalid argument 0: hex string without 0x prefix");
  EXPECT_EQ(error("eth_getBlockByNumber", {"0x1", "x"}),
            "invalid argument 1: json: cannot unmarshal string into Go value of type bool");
  EXPECT_EQ(error("eth_getBlockByHash", {"0x1", true}),
            "invalid argument 0: json: cannot unmarshal hex string of odd length into Go value of "
            "type common.Hash");
  EXPECT_EQ(error("eth_getBlockByHash", {"0x12", true}),
            "invalid argument 0: hex string has length 2, want 64 for common.Hash");
  EXPECT_EQ(error("eth_getFilterChanges", json::array({1})),
            "invalid argument 0: json: cannot unmarshal number into Go value of type rpc.ID");
  EXPECT_EQ(
      error("eth_getBlockReceipts",
            json::array({{{"blockHash", Hash{}.hex()}, {"blockNumber", "0x1"}}})),
      "invalid argument 0: cannot specify both BlockHash and BlockNumber, choose one or the other");
}

TEST(Rpc, AnswersBatchesInOrderAndWithinLimits) {
  RpcLimits limits;
  limits.batch_items = 4;
  limits.batch_bytes = 200;
  ServedChain served{small_store(10), limits};
  const std::string number = R"({"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"})";
  const std::string told = R"({"jsonrpc":"2.0","method":"eth_blockNumber"})";
  EXPECT_EQ(
      served.ask("[" + number + "," + told + ",2," + R"({"jsonrpc":"2.0","id":"x","method":"f"})" +
                 "]"),
      R"([{"jsonrpc":"2.0","id":1,"result":"0x9"},)"
      R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},)"
      R"({"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"the method f does not exist/is not available"}}])");
  EXPECT_EQ(served.ask("[]"),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}})");
  EXPECT_EQ(served.ask("[1,1,1,1," + number + "]"),
            R"([{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"batch too large"}}])");
  const std::string logs = R"({"jsonrpc":"2.0","id":2,"method":"eth_getLogs","params":[{}]})";
  const json large = json::parse(served.ask("[" + logs + "," + number + "," + told + "]"));
  ASSERT_EQ(large.size(), 2U);
  EXPECT_EQ(large[0]["result"].size(), 1U);
  EXPECT_EQ(large[1]["error"]["code"], -32003);
  EXPECT_EQ(large[1]["error"]["message"], "response too large");
}

TEST(Rpc, AnswersTheRestOfALateBatchWithAnError) {
  ServedChain served{small_store()};
  const std::string body = R"([{"jsonrpc":"2.0","id":2,"method":"eth_blockNumber"}])";
  const RpcCaller late{.end = {.deadline = std::chrono::steady_clock::now()}};
  EXPECT_EQ(Rpc{served.service}.answer(body, late),
            R"([{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"request timed out"}}])");
}

// ---- ranges and limits

TEST(Rpc, HasGethsCodesForRanges) {
  ServedChain served{store_in_memory()};
  served.add(made_chain(10, 30, filled_hash(1)));
  const auto error = [&](const json& criteria) {
    const json answer = served.call("eth_getLogs", {criteria});
    return answer.contains("error") ? answer["error"]["code"].dump() + " " +
                                          answer["error"]["message"].get<std::string>()
                                    : "none";
  };
  EXPECT_EQ(error({{"fromBlock", "0x15"}, {"toBlock", "0x14"}}),
            "-32602 invalid block range params");
  EXPECT_EQ(error({{"fromBlock", "0x15"}, {"toBlock", "0x28"}}),
            "-32602 block range extends beyond current head block");
  EXPECT_EQ(error({{"fromBlock", "pending"}}), "-32602 pending logs are not supported");
  EXPECT_EQ(error({{"fromBlock", "safe"}}), "-32000 safe header not found");
  EXPECT_EQ(error({{"fromBlock", "finalized"}}), "-32000 finalized header not found");
  EXPECT_EQ(error({{"blockHash", Hash{}.hex()}}), "-32000 unknown block");
  EXPECT_EQ(error({{"fromBlock", "0x9"}}), "4444 pruned history unavailable");
  EXPECT_EQ(error({{"fromBlock", "earliest"}}), "none");
  ServedChain empty{store_in_memory()};
  EXPECT_EQ(empty.ask(R"({"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{}]})"),
            R"({"jsonrpc":"2.0","id":1,"result":[]})");
}

TEST(Rpc, SaysWhichRangeWouldWork) {
  RpcLimits limits;
  limits.search.range = 20;
  limits.search.results = 5;
  limits.search.addresses = 2;
  ServedChain served{small_store(30), limits};
  const auto error = [&](const json& criteria) {
    return served.call("eth_getLogs", {criteria})["error"];
  };
  const json range = error({{"fromBlock", "0x1"}});
  EXPECT_EQ(range["code"], -32602);
  EXPECT_EQ(range["message"],
            "exceed maximum block range 20; this block range should work: [0x1, 0x15]");
  EXPECT_EQ(range["data"], (json{{"from", "0x1"}, {"to", "0x15"}}));
  const json results = error({{"fromBlock", "0x9"}});
  EXPECT_EQ(results["code"], -32005);
  EXPECT_EQ(results["message"],
            "query returned more than 5 results. Try with this block range [0x9, 0xd].");
  const json works = served.call("eth_getLogs", {{{"fromBlock", "0x9"}, {"toBlock", "0xd"}}});
  EXPECT_EQ(works["result"].size(), 5U);
  const std::string address = Address{}.hex();
  const json sizes = error({{"address", {address, address, address}}});
  EXPECT_EQ(sizes["code"], -32000);
  EXPECT_EQ(sizes["message"], "exceed max addresses or topics per search position");
}

// Such a value takes two characters, and a hundred times as much memory once it is built.
TEST(Rpc, RefusesCriteriaWithTooManySmallValues) {
  ServedChain served{small_store(30)};
  const auto error = [&](std::size_t values) {
    json list = json::array();
    for (std::size_t i = 0; i < values; ++i) list.push_back(json::object());
    return served.call("eth_getLogs", {{{"unknown", list}}})["error"];
  };
  EXPECT_TRUE(error(8'000).is_null());
  EXPECT_EQ(
      error(100'000),
      (json{{"code", -32000}, {"message", "exceed max addresses or topics per search position"}}));
  // As many addresses as the text has room for are not too many.
  const std::vector<std::string> addresses(50'000, Address{}.hex());
  EXPECT_EQ(
      served.call("eth_getLogs", {{{"fromBlock", "0x0"}, {"address", addresses}}})["result"].size(),
      5U);
}

TEST(Rpc, SaysWhenOneBlockAloneIsTooMuch) {
  RpcLimits limits;
  limits.search.results = 2;
  ServedChain served{store_in_memory(), limits};
  served.add({made_block(0, Hash{}, {std::vector<Log>(3)})});
  const json error = served.call("eth_getLogs", {{{"fromBlock", "0x0"}}})["error"];
  EXPECT_EQ(error["message"],
            "query returned more than 2 results. Block 0x0 alone has too many: ask for fewer "
            "addresses or topics.");
  served.service.limits.search.results = 3;
  served.service.limits.search.response_bytes = 700;
  const json bytes = served.call("eth_getLogs", {{{"fromBlock", "0x0"}}})["error"];
  EXPECT_EQ(bytes["code"], -32003);
  EXPECT_THAT(bytes["message"].get<std::string>(),
              StartsWith("response too large: more than 700 bytes."));
}

TEST(Rpc, SaysHowFarASearchCameInItsTime) {
  ServedChain served{small_store(6000)};
  std::string out;
  SearchCost cost;
  const auto threads = std::make_shared<SearchThreads>(served.live.reader());
  const LogQuery query{.from = BlockBound{BlockTag::kNumber, 0}};
  const auto past = std::chrono::steady_clock::now();
  const auto none =
      append_found_logs(served.live, threads, query, {}, {.deadline = past}, out, cost);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->code, -32002);
  EXPECT_THAT(none->message, HasSubstr("in the first blocks; request a smaller block range"));
  EXPECT_EQ(out, "");
  // Ends while it searches, wherever that is: what it says to work does.
  std::optional<RpcError> error;
  for (int microseconds = 200; !error || error->data.empty(); microseconds += 200) {
    const auto soon = std::chrono::steady_clock::now() + std::chrono::microseconds{microseconds};
    out.clear();
    error = append_found_logs(served.live, threads, query, {.results = 0}, {.deadline = soon}, out,
                              cost);
    if (!error) GTEST_SKIP() << "this machine is too fast";
  }
  EXPECT_THAT(error->message, HasSubstr("; this block range should work: [0x0, 0x"));
  const json data = json::parse(error->data);
  EXPECT_LT(*number_from_quantity(data["to"].get<std::string>()), 6000U);
}

TEST(Rpc, TakesTenThousandAddresses) {
  ServedChain served{small_store(50)};
  json addresses;
  for (unsigned i = 0; i < 10'000; ++i) {
    Address address;
    std::memcpy(address.bytes.data(), &i, sizeof i);
    addresses.push_back(address.hex());
  }
  addresses.push_back(filled_hash(3).hex().substr(0, 42));
  const json found = served.call("eth_getLogs", {{{"fromBlock", "0x0"}, {"address", addresses}}});
  EXPECT_EQ(found["result"].size(), 15U);  // of addresses 0 and 3
}

// ---- the scanner of JSON

TEST(RpcJson, TellsJsonFromOtherText) {
  for (const std::string text :
       {"0", "-0", "1.5e-7", "null", " true ", "\"\"", "[]", "{}", "[[],{}]",
        "{\"a\":[1,{\"b\":null}],\"a\":2}", "\"\\u00e9\\ud83d\\ude00\\n\\/\"",
        "\"\xf0\x9f\x98\x80\"", "[1 , 2\t,\n3]"}) {
    EXPECT_TRUE(is_json(text)) << text;
    EXPECT_TRUE(json::accept(text)) << text;
  }
  for (const std::string text : {"",
                                 "-",
                                 "+1",
                                 ".5",
                                 "1.",
                                 "1e",
                                 "nul",
                                 "tru e",
                                 "\"",
                                 "\"\\x\"",
                                 "\"\\u12\"",
                                 "[",
                                 "]",
                                 "[,]",
                                 "[1 2]",
                                 "{\"a\"}",
                                 "{\"a\":}",
                                 "{a:1}",
                                 "{\"a\":1 \"b\":2}",
                                 "[}",
                                 "{]",
                                 "1 2",
                                 "\"\\ude00\"",
                                 "\"\xed\xa0\x80\"",
                                 "\"\xc0\x80\"",
                                 "\"\xf5\x80\x80\x80\"",
                                 "\"\t\""})
    EXPECT_FALSE(is_json(text)) << text;
  EXPECT_TRUE(is_json(std::string(64, '[') + std::string(64, ']')));
  EXPECT_FALSE(is_json(std::string(65, '[') + std::string(65, ']')));
}

TEST(RpcJson, CutsTextIntoItsPieces) {
  const auto items = json_items(" [1, \"a,]\\\"\" ,[2,[3]],{\"x\":[4]} ]", 10);
  EXPECT_THAT(items, ::testing::ElementsAre("1", "\"a,]\\\"\"", "[2,[3]]", "{\"x\":[4]}"));
  EXPECT_EQ(json_items("[1,2,3]", 2).size(), 2U);
  const auto members = json_members(R"({ "a" : 1, "\u0062":{"c":2} , "a":"" })");
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[1], (JsonMember{"b", "{\"c\":2}"}));
  EXPECT_EQ(members[2], (JsonMember{"a", "\"\""}));
  EXPECT_EQ(json_text("\"\\ud83d\\ude00\\t\\u00e9\\\\\""), "\xf0\x9f\x98\x80\t\xc3\xa9\\");
  std::string out;
  append_json_text(out, "a\"\\\n\xff\xc3\xa9");
  EXPECT_EQ(out, "\"a\\\"\\\\\\u000a\xef\xbf\xbd\xc3\xa9\"");
}

}  // namespace
}  // namespace bloomery::ethlog
