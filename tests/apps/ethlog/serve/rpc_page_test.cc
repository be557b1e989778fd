#include "apps/ethlog/serve/rpc_methods.h"
#include "apps/ethlog/serve/rpc_page_cursor.h"
#include "tests/apps/ethlog/serve/rpc_chain.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json page_of(ServedChain& served, const json& filter, const json& cursor, const json& limit) {
  return served.call("bloomery_getLogsPage", {filter, cursor, limit});
}

// The logs of all pages, in their order; each page as long as it may be.
json all_pages(ServedChain& served, const json& filter, std::size_t limit) {
  json logs = json::array();
  json cursor = nullptr;
  do {
    const json answer = page_of(served, filter, cursor, limit);
    EXPECT_TRUE(answer.contains("result")) << answer;
    if (!answer.contains("result")) return logs;
    const json& page = answer["result"];
    EXPECT_LE(page["logs"].size(), limit);
    EXPECT_TRUE(page["cursor"].is_null() || page["logs"].size() == limit);
    logs.insert(logs.end(), page["logs"].begin(), page["logs"].end());
    cursor = page["cursor"];
  } while (!cursor.is_null());
  return logs;
}

TEST(RpcPage, PagesOfAnyLengthAreTogetherWhatOneSearchFinds) {
  ServedChain served{store_in_memory()};
  served.add(golden_chain());
  const json one_address{{"fromBlock", "0x64"},
                         {"toBlock", "0x200"},
                         {"address", golden_chain()[4].receipts[0].logs[0].address.hex()}};
  for (const json& filter :
       {json{{"fromBlock", "0x0"}}, json{{"fromBlock", "0x4"}, {"toBlock", "0x4"}}, one_address}) {
    const json whole = served.call("eth_getLogs", {filter})["result"];
    ASSERT_FALSE(whole.empty());
    for (const std::size_t limit : {3, 7, 500, 10'000})
      EXPECT_EQ(all_pages(served, filter, limit), whole) << limit;
  }
}

TEST(RpcPage, SaysWhereTheRangeEnds) {
  ServedChain served{store_in_memory()};
  EXPECT_EQ(page_of(served, {{"fromBlock", "0x0"}}, nullptr, 5)["result"],
            (json{{"logs", json::array()}, {"cursor", nullptr}, {"toBlock", nullptr}}));
  served.add(made_chain(0, 10, Hash{}));
  const json first = page_of(served, {{"fromBlock", "0x0"}}, nullptr, "0x4")["result"];
  EXPECT_EQ(first["toBlock"], "0x9");
  // The range is that of the first page, whatever comes meanwhile.
  served.add(made_chain(10, 5, served.store.reader().header(9)->value().hash));
  json rest = page_of(served, {{"fromBlock", "0x0"}}, first["cursor"], nullptr)["result"];
  EXPECT_EQ(rest["logs"].size(), 6U);
  EXPECT_EQ(rest["toBlock"], "0x9");
  EXPECT_EQ(rest["cursor"], nullptr);
}

TEST(RpcPage, GoesOnWhereBytesTimeOrBlocksEndAPage) {
  RpcLimits limits;
  limits.search.response_bytes = 2'000;
  ServedChain served{store_in_memory(), limits};
  served.add(made_chain(0, 40, Hash{}));
  const json whole = [&] {
    json logs = json::array();
    json cursor = nullptr;
    do {
      const json page = page_of(served, {{"fromBlock", "0x0"}}, cursor, nullptr)["result"];
      EXPECT_GT(page["logs"].size(), 0U);
      EXPECT_LT(page["logs"].size(), 6U);
      logs.insert(logs.end(), page["logs"].begin(), page["logs"].end());
      cursor = page["cursor"];
    } while (!cursor.is_null());
    return logs;
  }();
  EXPECT_EQ(whole.size(), 40U);
  RpcLimits of_blocks;
  of_blocks.search.range = 9;  // ten blocks
  ServedChain cut{store_in_memory(), of_blocks};
  cut.add(made_chain(0, 25, Hash{}));
  json cursor = nullptr;
  std::vector<std::size_t> lengths;
  do {
    const json page = page_of(cut, {{"fromBlock", "0x0"}}, cursor, nullptr)["result"];
    lengths.push_back(page["logs"].size());
    cursor = page["cursor"];
  } while (!cursor.is_null());
  EXPECT_EQ(lengths, (std::vector<std::size_t>{10, 10, 5}));
}

TEST(RpcPage, NoticesAReorganisationOfWhatWasDelivered) {
  ServedChain served{store_in_memory()};
  const auto chain = made_chain(0, 20, Hash{});
  served.add(chain);
  const json filter{{"fromBlock", "0x0"}};
  const json first = page_of(served, filter, nullptr, 10)["result"];  // blocks 0 to 9
  // Above it: the next page is of the new branch.
  served.add(made_chain(15, 5, chain[14].header.hash, 3));
  const json second = page_of(served, filter, first["cursor"], 20)["result"];
  EXPECT_EQ(second["logs"].size(), 10U);
  EXPECT_EQ(second["logs"], served.call("eth_getLogs", {{{"fromBlock", "0xa"}}})["result"]);
  // Below it: what was delivered is of another chain.
  served.add(made_chain(8, 3, chain[7].header.hash, 4));
  json late = page_of(served, filter, first["cursor"], 20);
  EXPECT_THAT(late["error"]["message"].get<std::string>(),
              HasSubstr("the chain was reorganised since the page before: block 0x9 is no longer " +
                        chain[9].header.hash.hex()));
  EXPECT_EQ(late["error"]["code"], -32000);
}

TEST(RpcPage, EndsWhereTheChainBecameShorter) {
  ServedChain served{store_in_memory()};
  const auto chain = made_chain(0, 20, Hash{});
  served.add(chain);
  const json first = page_of(served, {{"fromBlock", "0x0"}}, nullptr, 5)["result"];
  served.add(made_chain(5, 1, chain[4].header.hash, 2));  // the head is block 5 now
  const json rest = page_of(served, {{"fromBlock", "0x0"}}, first["cursor"], nullptr)["result"];
  EXPECT_EQ(rest["logs"].size(), 1U);
  EXPECT_EQ(rest["cursor"], nullptr);
  EXPECT_EQ(rest["toBlock"], "0x5");
}

// Every digit of a cursor is checked.
TEST(RpcPage, RefusesACursorThatWasChanged) {
  ServedChain served{store_in_memory()};
  served.add(made_chain(0, 10, Hash{}));
  const json filter{{"fromBlock", "0x0"}};
  const std::string cursor = page_of(served, filter, nullptr, 3)["result"]["cursor"];
  const auto refusal = [&](const json& changed) {
    const json answer = page_of(served, filter, changed, 3);
    EXPECT_EQ(answer["error"]["code"], -32602) << changed;
    return answer["error"]["message"].get<std::string>();
  };
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    std::string changed = cursor;
    changed[i] = changed[i] == '0' ? '1' : '0';
    if (changed != cursor) refusal(changed);
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{2}, cursor.size() - 2})
    EXPECT_THAT(refusal(cursor.substr(0, size)), HasSubstr("invalid cursor"));
  EXPECT_THAT(refusal(cursor + "00"), HasSubstr("invalid cursor: it is none of this server's"));
  EXPECT_THAT(refusal(std::string(100'000, 'f')), HasSubstr("invalid cursor"));
  EXPECT_THAT(refusal(7), HasSubstr("invalid argument 1"));
  const json other = page_of(served, {{"fromBlock", "0x1"}}, cursor, 3);
  EXPECT_THAT(other["error"]["message"].get<std::string>(),
              HasSubstr("it belongs to another filter or chain"));
  ServedChain elsewhere{store_in_memory(), {}, 5};
  elsewhere.add(made_chain(0, 10, Hash{}));
  EXPECT_THAT(page_of(elsewhere, filter, cursor, 3)["error"]["message"].get<std::string>(),
              HasSubstr("another filter or chain"));
}

TEST(RpcPage, RefusesLimitsAndFiltersThatAreNoPages) {
  ServedChain served{store_in_memory()};
  served.add(made_chain(0, 3, Hash{}));
  for (const json& limit : {json(0), json(10'001), json("0x0"), json(-1), json(1.5), json("x")})
    EXPECT_EQ(page_of(served, {{"fromBlock", "0x0"}}, nullptr, limit)["error"]["code"], -32602)
        << limit;
  EXPECT_THAT(page_of(served, {{"blockHash", Hash{}.hex()}}, nullptr, 5)["error"]["message"]
                  .get<std::string>(),
              HasSubstr("eth_getLogs"));
  EXPECT_EQ(served.call("bloomery_getLogsPage", {{{"fromBlock", "0x0"}}})["result"]["logs"].size(),
            3U);
  EXPECT_EQ(served.call("bloomery_getLogsPage", {})["error"]["message"],
            "missing value for required argument 0");
}

TEST(PageCursor, IsReadAsItWasWritten) {
  for (const PageCursor& cursor :
       {PageCursor{}, PageCursor{.block = 7, .log = 3, .last = ~std::uint64_t{0}, .query = 99},
        PageCursor{.block = 5, .last = 5, .anchor = BlockId{4, filled_hash(9)}}}) {
    const auto read = decode_cursor(encode_cursor(cursor));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, cursor);
  }
  EXPECT_FALSE(decode_cursor(encode_cursor({.block = 9, .last = 8})));
}

// ---- limits of a client

TEST(Clients, HaveTheirCallsAgainAfterARest) {
  Clients clients{{.calls_per_second = 4}};
  const auto begun = Clients::Clock::now();
  const auto after = [&](int milliseconds) {
    return begun + std::chrono::milliseconds{milliseconds};
  };
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(clients.take_call("a", after(0))) << i;
  EXPECT_EQ(clients.take_call("a", after(0)), std::chrono::milliseconds{250});
  EXPECT_FALSE(clients.take_call("b", after(0)));
  EXPECT_FALSE(clients.take_call("", after(0)));
  EXPECT_FALSE(clients.take_call("a", after(260)));
  EXPECT_TRUE(clients.take_call("a", after(270)));
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(clients.take_call("a", after(5'000))) << i;
  EXPECT_TRUE(clients.take_call("a", after(5'000)));
}

// Many clients in turn leave nothing behind.
TEST(Clients, AreForgottenWhenTheyRest) {
  Clients clients{{.calls_per_second = 100, .searches = 1}};
  const auto begun = Clients::Clock::now();
  for (int i = 0; i < 50'000; ++i)
    clients.take_call("client " + std::to_string(i), begun + std::chrono::milliseconds{i});
  EXPECT_LT(clients.size(), 3'000U);
}

TEST(Clients, SearchOnlySoOftenAtATime) {
  Clients clients{{.searches = 2}};
  auto first = clients.begin_search("a");
  const auto second = clients.begin_search("a");
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(clients.begin_search("a"));
  EXPECT_TRUE(clients.begin_search("b"));
  first.reset();
  EXPECT_TRUE(clients.begin_search("a"));
  EXPECT_TRUE((Clients{{}}.begin_search("a")));
}

TEST(Clients, ThatCallTooOftenAreToldSoCallByCall) {
  RpcLimits limits;
  limits.clients = {.calls_per_second = 3};
  ServedChain served{store_in_memory(), limits};
  RpcVerdict verdict;
  std::string batch = "[";
  for (int i = 0; i < 5; ++i)
    batch += std::string{i > 0 ? "," : ""} + ServedChain::request("eth_chainId", json::array());
  const json answers = json::parse(
      Rpc{served.service}.answer(batch + "]", {.client = "192.0.2.1", .verdict = &verdict}));
  EXPECT_EQ(answers[2]["result"], "0x1");
  EXPECT_EQ(answers[4]["error"]["code"], -32005);
  EXPECT_THAT(answers[4]["error"]["message"].get<std::string>(),
              HasSubstr("too many calls of this client: 3 in a second are allowed; try again in"));
  EXPECT_EQ(verdict.calls, 5U);
  EXPECT_EQ(verdict.refused, 2U);
  EXPECT_GT(verdict.retry_after.count(), 0);
}

TEST(Clients, ThatSearchTooMuchAreToldSo) {
  RpcLimits limits;
  limits.clients = {.searches = 1};
  ServedChain served{store_in_memory(), limits};
  served.add(made_chain(0, 3, Hash{}));
  const auto held = served.service.clients->begin_search("192.0.2.1");
  RpcVerdict verdict;
  const std::string call = ServedChain::request("eth_getLogs", json::array({json::object()}));
  const json refused =
      json::parse(Rpc{served.service}.answer(call, {.client = "192.0.2.1", .verdict = &verdict}));
  EXPECT_THAT(refused["error"]["message"].get<std::string>(),
              HasSubstr("too many searches of this client at the same time: 1 are allowed"));
  EXPECT_EQ(verdict.refused, 1U);
  EXPECT_TRUE(
      json::parse(Rpc{served.service}.answer(call, {.client = "192.0.2.2"})).contains("result"));
}

}  // namespace
}  // namespace bloomery::ethlog
