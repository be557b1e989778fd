#include "apps/ethlog/node/rpc_answers.h"

#include <gmock/gmock.h>

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;

std::string wrong(std::string_view text, std::size_t count = 2) {
  const auto answers = decode_answers(text, 7, count);
  return answers ? "no error" : answers.error().message;
}

TEST(RpcAnswers, AreSortedByTheirIds) {
  const RpcCall calls[] = {{"a", "[1]"}, {"b", "[]"}};
  EXPECT_EQ(encode_calls(calls, 7), R"([{"jsonrpc":"2.0","id":7,"method":"a","params":[1]},)"
                                    R"({"jsonrpc":"2.0","id":8,"method":"b","params":[]}])");
  EXPECT_EQ(encode_calls({calls, 1}, 9), R"({"jsonrpc":"2.0","id":9,"method":"a","params":[1]})");
  const auto answers = decode_answers(
      R"([{"id":8,"error":{"code":-32601,"message":"no\nsuch","data":{"x":1}}},{"result":[1, 2],"id":"7"}])",
      7, 2);
  ASSERT_TRUE(answers) << answers.error().message;
  EXPECT_EQ(answers->of_calls[0]->result, "[1, 2]");
  EXPECT_EQ(answers->of_calls[1]->fault->code, -32601);
  EXPECT_EQ(answers->of_calls[1]->fault->text, "no such");
  EXPECT_EQ(answers->of_calls[1]->fault->data, R"({"x":1})");
  EXPECT_FALSE(decode_answers(R"([{"id":8,"result":null}])", 7, 2)->of_calls[0]);
}

TEST(RpcAnswers, AnErrorWithoutAnIdStandsForAll) {
  for (const char* text : {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}})",
                           R"({"error":{"code":-32600,"message":"no"}})",
                           R"([{"id":null,"error":{"code":-32600,"message":"no"}}])"})
    EXPECT_EQ(decode_answers(text, 7, 2)->of_all->code, -32600) << text;
  EXPECT_EQ(decode_answers(R"({"error":"text"})", 7, 2)->of_all->text, "\"text\"");
}

TEST(RpcAnswers, RefuseWhatAnswersNothing) {
  EXPECT_THAT(wrong("<html>"), HasSubstr("not JSON"));
  EXPECT_THAT(wrong(R"([{"id":7,"result":1)"), HasSubstr("not JSON"));
  EXPECT_THAT(wrong(std::string(100'000, '[')), HasSubstr("nested too deep"));
  EXPECT_THAT(wrong("[1]"), HasSubstr("object was expected"));
  EXPECT_THAT(wrong("7"), HasSubstr("object was expected"));
  EXPECT_THAT(wrong(R"([{"id":9,"result":1}])"), HasSubstr("the id of no call"));
  EXPECT_THAT(wrong(R"([{"id":6,"result":1}])"), HasSubstr("the id of no call"));
  EXPECT_THAT(wrong(R"([{"id":7.5,"result":1}])"), HasSubstr("the id of no call"));
  EXPECT_THAT(wrong(R"([{"result":1}])"), HasSubstr("no id"));
  EXPECT_THAT(wrong(R"([{"id":7,"result":1},{"id":7,"result":2}])"), HasSubstr("two answers"));
  EXPECT_THAT(wrong(R"([{"id":7}])"), HasSubstr("neither a result nor an error"));
}

NodeTrouble trouble(std::int64_t code, const char* text) {
  return failure_of(RpcFault{code, text, {}}).trouble;
}

TEST(NodeFailure, IsSortedByCodesAndWords) {
  EXPECT_EQ(trouble(-32601, "x"), NodeTrouble::kNoMethod);
  EXPECT_EQ(trouble(-32000, "the method eth_getBlockReceipts does not exist/is not available"),
            NodeTrouble::kNoMethod);
  EXPECT_EQ(trouble(-32004, "Method not supported"), NodeTrouble::kNoMethod);
  EXPECT_EQ(trouble(-32600, "eth_getBlockReceipts method is not available on the free plan"),
            NodeTrouble::kNoMethod);
  EXPECT_EQ(trouble(-32005, "limit exceeded"), NodeTrouble::kBusy);
  EXPECT_EQ(trouble(-32000, "Your app has exceeded its compute units per second capacity"),
            NodeTrouble::kBusy);
  EXPECT_EQ(trouble(-32003, "response too large"), NodeTrouble::kTooLarge);
  EXPECT_EQ(trouble(-32000, "batch too large"), NodeTrouble::kTooLarge);
  EXPECT_EQ(trouble(-32005, "query returned more than 10000 results"), NodeTrouble::kTooLarge);
  EXPECT_EQ(trouble(-32602, "invalid params"), NodeTrouble::kRefused);
  EXPECT_EQ(trouble(4444, "pruned history unavailable"), NodeTrouble::kRefused);
  EXPECT_EQ(trouble(-32000, "header not found"), NodeTrouble::kPassing);
  EXPECT_EQ(trouble(-32603, "internal error"), NodeTrouble::kPassing);
  EXPECT_EQ(failure_of_status(429).trouble, NodeTrouble::kBusy);
  EXPECT_EQ(failure_of_status(413).trouble, NodeTrouble::kTooLarge);
  EXPECT_EQ(failure_of_status(503).trouble, NodeTrouble::kPassing);
  EXPECT_EQ(failure_of_status(401).trouble, NodeTrouble::kRefused);
  EXPECT_EQ(failure_of_status(301).trouble, NodeTrouble::kRefused);
}

TEST(NodeFailure, ReadsTheRangeThatAProviderWouldServe) {
  const BlockRange wanted{0x10, 0x20};
  EXPECT_EQ(range_hint("this block range should work: [0x10, 0x20]"), wanted);
  EXPECT_EQ(range_hint("Try with this block range [\"0x10\",\"0x20\"]."), wanted);
  EXPECT_EQ(range_hint(R"({"from":"0x10","limit":10000,"to":"0x20"})"), wanted);
  EXPECT_EQ(range_hint("at [main.go:7] use [0x10, 0x20]"), wanted);
  EXPECT_FALSE(range_hint("[0x20, 0x10]"));
  EXPECT_FALSE(range_hint("[0x20"));
  EXPECT_FALSE(range_hint("[0xzz, 0x1]"));
  EXPECT_FALSE(range_hint(""));
  EXPECT_EQ(failure_of({-32005, "limit exceeded, use [0x10, 0x20]", {}}).trouble,
            NodeTrouble::kTooLarge);
}

}  // namespace
}  // namespace bloomery::ethlog
