#include "apps/ethlog/serve/filters.h"
#include "apps/ethlog/serve/subscriptions.h"
#include "tests/apps/ethlog/serve/rpc_chain.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "5" came, "-5" went.
std::vector<std::string> moves(const json& logs) {
  std::vector<std::string> out;
  for (const json& log : logs)
    out.push_back((log["removed"] == true ? "-" : "") +
                  std::to_string(*number_from_quantity(log["blockNumber"].get<std::string>())));
  return out;
}

std::vector<std::string> moves(const std::vector<std::string>& told) {
  json logs = json::array();
  for (const std::string& text : told) logs.push_back(json::parse(text)["params"]["result"]);
  return moves(logs);
}

struct Forked {
  std::vector<ImportedBlock> trunk = made_chain(0, 6, Hash{});
  std::vector<ImportedBlock> branch = made_chain(3, 4, trunk[2].header.hash, 1);
};

TEST(Filters, TellWhatCameAndWhatWent) {
  const Forked forked;
  ServedChain served{store_in_memory()};
  served.add({forked.trunk[0]});
  const std::string all = served.call("eth_newFilter", {json::object()})["result"];
  const std::string some =
      served.call("eth_newFilter", {{{"topics", {filled_hash(101).hex()}}}})["result"];
  const std::string late =
      served.call("eth_newFilter", {{{"fromBlock", "0x4"}, {"toBlock", "0x5"}}})["result"];
  const std::string blocks = served.call("eth_newBlockFilter")["result"];
  EXPECT_EQ(served.call("eth_getFilterChanges", {all})["result"], json::array());
  served.add({forked.trunk.begin() + 1, forked.trunk.end()});
  EXPECT_THAT(moves(served.call("eth_getFilterChanges", {all})["result"]),
              ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_THAT(served.call("eth_getFilterChanges", {all})["result"], IsEmpty());
  // The branch takes the place of blocks 3 to 5: those go, from the lowest up, then the new come.
  served.add(forked.branch);
  EXPECT_THAT(moves(served.call("eth_getFilterChanges", {all})["result"]),
              ElementsAre("-3", "-4", "-5", "3", "4", "5", "6"));
  EXPECT_THAT(moves(served.call("eth_getFilterChanges", {some})["result"]),
              ElementsAre("3", "4", "5", "6"));
  EXPECT_THAT(moves(served.call("eth_getFilterChanges", {late})["result"]),
              ElementsAre("4", "5", "-4", "-5", "4", "5"));
  const json hashes = served.call("eth_getFilterChanges", {blocks})["result"];
  ASSERT_EQ(hashes.size(), 9U);
  EXPECT_EQ(hashes[0], forked.trunk[1].header.hash.hex());
  EXPECT_EQ(hashes[8], forked.branch[3].header.hash.hex());
}

ImportedBlock without_receipts(ImportedBlock block) {
  block.has_receipts = false;
  block.receipts.clear();
  return block;
}

TEST(Filters, TellTheLogsOfABlockWhoseReceiptsComeLater) {
  const auto chain = made_chain(0, 3, Hash{});
  ServedChain served{store_in_memory()};
  const std::string logs = served.call("eth_newFilter", {json::object()})["result"];
  const std::string blocks = served.call("eth_newBlockFilter")["result"];
  const auto peer = std::make_shared<FakePeer>();
  served.call_as(peer, "eth_subscribe", {"logs", json::object()});
  served.add({chain[0], without_receipts(chain[1]), chain[2]});
  EXPECT_THAT(moves(served.call("eth_getFilterChanges", {logs})["result"]), ElementsAre("0", "2"));
  EXPECT_EQ(served.call("eth_getFilterChanges", {blocks})["result"].size(), 3U);
  EXPECT_THAT(moves(peer->take()), ElementsAre("0", "2"));
  served.add({chain[1], chain[1]});
  EXPECT_THAT(moves(served.call("eth_getFilterChanges", {logs})["result"]), ElementsAre("1"));
  EXPECT_THAT(served.call("eth_getFilterChanges", {blocks})["result"], IsEmpty());
  EXPECT_THAT(moves(peer->take()), ElementsAre("1"));
  EXPECT_EQ(served.live.reorganisations(), 0U);
}

TEST(Filters, GiveAllLogsOfTheirRangeAndCanBeRemoved) {
  ServedChain served{store_in_memory()};
  served.add(made_chain(0, 8, Hash{}));
  const std::string id =
      served.call("eth_newFilter", {{{"fromBlock", "0x2"}, {"toBlock", "latest"}}})["result"];
  EXPECT_THAT(moves(served.call("eth_getFilterLogs", {id})["result"]),
              ElementsAre("2", "3", "4", "5", "6", "7"));
  const std::string blocks = served.call("eth_newBlockFilter")["result"];
  const json unknown{{"code", -32000}, {"message", "filter not found"}};
  EXPECT_EQ(served.call("eth_getFilterLogs", {blocks})["error"], unknown);
  EXPECT_EQ(served.call("eth_uninstallFilter", {id})["result"], true);
  EXPECT_EQ(served.call("eth_uninstallFilter", {id})["result"], false);
  EXPECT_EQ(served.call("eth_getFilterChanges", {id})["error"], unknown);
  EXPECT_EQ(served.call("eth_getFilterLogs", {id})["error"], unknown);
}

TEST(Filters, FindEachOfManyAddressesInAnyOrder) {
  LogQuery query;
  for (const unsigned first : {5U, 1U, 3U, 5U, 6U}) {
    Address& address = query.addresses.emplace_back();
    address.bytes.fill(static_cast<std::byte>(first));
  }
  query.topics = {{filled_hash(100), filled_hash(7), filled_hash(100)}};
  ServedChain served{store_in_memory()};
  const auto added = served.service.filters.add_logs(query, "");
  const auto* id = std::get_if<std::string>(&added);
  ASSERT_NE(id, nullptr);
  EXPECT_EQ(served.service.filters.query_of(*id)->addresses.size(), 4U);
  served.add(made_chain(0, 9, Hash{}));
  EXPECT_THAT(moves(served.call("eth_getFilterChanges", {*id})["result"]),
              ElementsAre("1", "3", "5", "6", "8"));
}

TEST(Filters, RefuseRangesThatCannotCome) {
  ServedChain served{store_in_memory()};
  const auto error = [&](const json& criteria) -> std::string {
    return served.call("eth_newFilter", {criteria})["error"]["message"];
  };
  EXPECT_EQ(error({{"fromBlock", "0x3"}, {"toBlock", "0x2"}}), "invalid block range params");
  EXPECT_EQ(error({{"toBlock", "0x2"}}), "invalid block range params");
  EXPECT_EQ(error({{"toBlock", "pending"}}), "pending logs are not supported");
  EXPECT_TRUE(served.call("eth_newFilter", {{{"fromBlock", "earliest"}}}).contains("result"));
}

TEST(Filters, AreGoneWhenNobodyAsks) {
  Filters filters;
  const auto start = Filters::Clock::now();
  const auto added = filters.add_blocks("", start);
  const auto another = filters.add_blocks("", start);
  const auto* first = std::get_if<std::string>(&added);
  const auto* second = std::get_if<std::string>(&another);
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_NE(*first, *second);
  EXPECT_TRUE(filters.take_changes(*first, start + std::chrono::seconds{200}));
  EXPECT_TRUE(filters.take_changes(*first, start + std::chrono::seconds{480}));
  EXPECT_FALSE(filters.take_changes(*second, start + std::chrono::seconds{301}));
  EXPECT_EQ(filters.size(), 1U);
  EXPECT_EQ(filters.add_blocks("", start + std::chrono::seconds{2000}).index(), 0U);
  EXPECT_EQ(filters.size(), 1U);
}

TEST(Filters, OfOneClientDoNotUseUpThoseOfOthers) {
  RpcLimits limits;
  limits.filters.of_one_client = 3;
  ServedChain served{store_in_memory(), limits};
  const auto asked = [&](std::string_view client, const char* method) {
    return json::parse(Rpc{served.service}.answer(
        ServedChain::request(method, json::array({json::object()})), {.client = client}));
  };
  std::string last;
  for (int i = 0; i < 3; ++i) last = asked("10.0.0.1", "eth_newFilter")["result"];
  const auto refused = asked("10.0.0.1", "eth_newFilter");
  EXPECT_EQ(refused["error"]["code"], -32005);
  EXPECT_EQ(refused["error"]["message"],
            "too many filters of this client: it has 3; uninstall some of them first "
            "(eth_uninstallFilter)");
  EXPECT_TRUE(asked("10.0.0.2", "eth_newFilter").contains("result"));
  // One that is given up, or that is not polled any more, counts no longer.
  EXPECT_EQ(served.call("eth_uninstallFilter", {last})["result"], true);
  EXPECT_TRUE(asked("10.0.0.1", "eth_newFilter").contains("result"));
  const auto later = Filters::Clock::now() + std::chrono::seconds{1000};
  EXPECT_EQ(served.service.filters.add_blocks("10.0.0.1", later).index(), 0U);
}

TEST(Filters, AreBoundedInNumberAndBytes) {
  RpcLimits limits;
  limits.filters.most = 2;
  limits.filters.bytes_of_one = 3000;
  ServedChain served{store_in_memory(), limits};
  const std::string logs = served.call("eth_newFilter", {json::object()})["result"];
  const std::string blocks = served.call("eth_newBlockFilter")["result"];
  const json refused = served.call("eth_newBlockFilter");
  EXPECT_EQ(refused["error"]["code"], -32005);
  served.add(made_chain(0, 10, Hash{}));
  EXPECT_EQ(served.call("eth_getFilterChanges", {logs})["error"]["message"], "filter not found");
  EXPECT_EQ(served.call("eth_getFilterChanges", {blocks})["result"].size(), 10U);
  EXPECT_TRUE(served.call("eth_newBlockFilter").contains("result"));
}

TEST(Subscriptions, TellLogsAndHeadsAsTheyCome) {
  const Forked forked;
  ServedChain served{store_in_memory()};
  const auto peer = std::make_shared<FakePeer>();
  const auto other = std::make_shared<FakePeer>();
  const std::string logs =
      served.call_as(peer, "eth_subscribe", {"logs", json::object()})["result"];
  const std::string some = served.call_as(
      other, "eth_subscribe", {"logs", {{"topics", {filled_hash(101).hex()}}}})["result"];
  served.add(forked.trunk);
  const auto told = peer->take();
  EXPECT_THAT(moves(told), ElementsAre("0", "1", "2", "3", "4", "5"));
  const std::string before =
      R"({"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":")" + logs +
      R"(","result":{"address":"0x0)";
  EXPECT_THAT(told[0], ::testing::StartsWith(before));
  served.add(forked.branch);
  EXPECT_THAT(moves(peer->take()), ElementsAre("-3", "-4", "-5", "3", "4", "5", "6"));
  EXPECT_THAT(moves(other->take()), ElementsAre("3", "4", "5", "6"));
  EXPECT_EQ(served.call_as(peer, "eth_unsubscribe", json::array({some}))["error"]["message"],
            "subscription not found");  // it is another peer's
  EXPECT_EQ(served.call_as(peer, "eth_unsubscribe", json::array({logs}))["result"], true);
  EXPECT_TRUE(served.call_as(peer, "eth_subscribe", json::array({"newHeads"})).contains("result"));
  served.add(made_chain(7, 1, forked.branch[3].header.hash));
  const auto heads = peer->take();
  ASSERT_EQ(heads.size(), 1U);
  const json head = json::parse(heads[0])["params"]["result"];
  EXPECT_EQ(head["number"], "0x7");
  EXPECT_EQ(head["parentHash"], forked.branch[3].header.hash.hex());
  EXPECT_EQ(head["baseFeePerGas"], nullptr);
}

TEST(Subscriptions, BeginWithTheAnswerThatTellsTheirId) {
  ServedChain served{store_in_memory()};
  const auto peer = std::make_shared<FakePeer>();
  const std::string answer = served.ask(
      R"({"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]})", peer);
  const auto blocks = made_chain(0, 2, Hash{});
  served.add({blocks[0]});
  EXPECT_THAT(peer->take(), IsEmpty());
  served.service.subscriptions.send(peer, answer);
  served.add({blocks[1]});
  const auto told = peer->take();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0], answer);
}

TEST(Subscriptions, EndWithTheirPeer) {
  ServedChain served{store_in_memory()};
  const auto slow = std::make_shared<FakePeer>(2);
  const auto gone = std::make_shared<FakePeer>();
  served.call_as(slow, "eth_subscribe", json::array({"newHeads"}));
  served.call_as(gone, "eth_subscribe", json::array({"newHeads"}));
  served.call_as(gone, "eth_subscribe", {"logs", json::object()});
  EXPECT_EQ(served.service.subscriptions.size(), 3U);
  served.service.subscriptions.forget(gone);
  EXPECT_EQ(served.service.subscriptions.size(), 1U);
  served.add(made_chain(0, 5, Hash{}));
  EXPECT_EQ(served.service.subscriptions.size(), 0U);
  EXPECT_EQ(slow->take().size(), 2U);
  EXPECT_THAT(gone->take(), IsEmpty());
}

TEST(Subscriptions, AreRefusedAsGethRefusesThem) {
  ServedChain served{store_in_memory()};
  const auto peer = std::make_shared<FakePeer>();
  const auto error = [&](const json& params) {
    return served.call_as(peer, "eth_subscribe", params)["error"];
  };
  EXPECT_EQ(served.call("eth_subscribe", {"newHeads"})["error"],
            (json{{"code", -32601}, {"message", "notifications not supported"}}));
  EXPECT_EQ(error(json::array({"nothing"})),
            (json{{"code", -32601}, {"message", "no \"nothing\" subscription in eth namespace"}}));
  EXPECT_EQ(error(json::array()),
            (json{{"code", -32602}, {"message", "expected subscription name as first argument"}}));
  EXPECT_EQ(error(json::object()), (json{{"code", -32602}, {"message", "non-array args"}}));
  EXPECT_EQ(error(json::array({"logs"})),
            (json{{"code", -32602}, {"message", "missing value for required argument 1"}}));
  EXPECT_EQ(error({"newHeads", 1}),
            (json{{"code", -32602}, {"message", "too many arguments, want at most 1"}}));
  EXPECT_EQ(served.call("eth_unsubscribe", {"0x1"})["error"]["message"], "subscription not found");
}

TEST(Subscriptions, AreBounded) {
  Subscriptions subscriptions{{.of_one_peer = 2, .of_all = 3, .query_bytes = 100}};
  const auto one = std::make_shared<FakePeer>();
  const auto two = std::make_shared<FakePeer>();
  EXPECT_TRUE(subscriptions.add_heads(one));
  const auto second = subscriptions.add_heads(one);
  EXPECT_FALSE(subscriptions.add_heads(one));
  LogQuery large;
  for (unsigned i = 0; i < 6; ++i)
    large.addresses.emplace_back().bytes[0] = static_cast<std::byte>(i);
  EXPECT_FALSE(subscriptions.add_logs(two, large));
  EXPECT_TRUE(subscriptions.add_heads(two));
  EXPECT_FALSE(subscriptions.add_heads(two));
  EXPECT_TRUE(subscriptions.remove(one, *second));
  EXPECT_TRUE(subscriptions.add_heads(two));
}

}  // namespace
}  // namespace bloomery::ethlog
