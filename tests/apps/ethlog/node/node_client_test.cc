#include "apps/ethlog/node/node_client.h"

#include "tests/apps/ethlog/node/mock_node.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;
using Misbehave = MockNode::Misbehave;

std::vector<ImportedBlock> forty() { return made_chain(0, 40, {}); }

// The first `times` requests go wrong; then the import must be whole.
void expect_overcome(std::uint64_t times,
                     const std::function<MockReply(const MockRequest&)>& wrong) {
  const auto chain = forty();
  MockNode node{chain, [&](const MockRequest& request, MockNode&) -> std::optional<MockReply> {
                  if (request.number >= times) return std::nullopt;
                  return wrong(request);
                }};
  MockTarget target;
  NodeOptions options = node.options();
  options.answer_time = std::chrono::milliseconds{500};
  EXPECT_EQ(target.sync(options), "");
  target.expect_chain(chain);
  EXPECT_GE(target.counts.failures, times);
}

MockReply raw(std::string bytes) { return {.bytes = std::move(bytes), .closes = true}; }

TEST(NodeClient, OvercomesStatusesThatPass) {
  for (const char* status : {"500 Internal Server Error", "502 Bad Gateway", "503 Unavailable",
                             "429 Too Many Requests", "408 Request Timeout"})
    expect_overcome(3, [&](const auto&) { return MockReply{.bytes = http_bytes("busy", status)}; });
}

TEST(NodeClient, OvercomesErrorsThatPass) {
  for (const char* error : {R"({"code":-32005,"message":"limit exceeded"})",
                            R"({"code":-32603,"message":"internal error"})",
                            R"({"code":-32000,"message":"header not found"})"})
    expect_overcome(3, [&](const auto&) {
      return MockReply{
          .bytes = http_bytes(message(R"({"jsonrpc":"2.0","id":null,"error":)", error, "}"))};
    });
}

TEST(NodeClient, OvercomesBrokenConnections) {
  expect_overcome(3, [](const auto&) { return raw(""); });
  expect_overcome(3,
                  [](const auto&) { return MockReply{.bytes = "HTTP/1.1 200", .resets = true}; });
  expect_overcome(3, [](const auto&) { return raw("not HTTP at all\r\n\r\n"); });
  // A body that ends early, with the length of a whole one; and one that is longer than it says.
  expect_overcome(3, [](const auto&) {
    return raw("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"jsonrpc\":\"2.0\"");
  });
  expect_overcome(3, [](const auto&) {
    return raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{\"jsonrpc\":\"2.0\"}");
  });
  expect_overcome(3, [](const auto&) { return raw("HTTP/1.1 200 OK\r\n\r\n{\"id\":1,\"resu"); });
  expect_overcome(3, [](const auto&) {
    return raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nabc");
  });
}

TEST(NodeClient, OvercomesWhatIsNoAnswer) {
  for (const char* body :
       {"", "<html>", "{}", "[]", "null", R"([{"id":999999,"result":1}])", R"({"result":1})"})
    expect_overcome(2, [&](const auto&) { return MockReply{.bytes = http_bytes(body)}; });
  expect_overcome(
      2, [](const auto&) { return MockReply{.bytes = http_bytes(std::string(200'000, '['))}; });
}

TEST(NodeClient, WaitsForSlowAnswersNoLongerThanItsLimit) {
  const auto begun = Clock::now();
  expect_overcome(1, [](const auto&) {
    return MockReply{.bytes = http_bytes(std::string(100'000, ' ')),
                     .each_byte = std::chrono::milliseconds{1}};
  });
  EXPECT_LT(Clock::now() - begun, std::chrono::seconds{20});
}

TEST(NodeClient, HonoursRetryAfter) {
  const auto chain = forty();
  MockNode node{
      chain, [&](const MockRequest& request, MockNode&) -> std::optional<MockReply> {
        if (request.number != 0) return std::nullopt;
        return MockReply{.bytes = http_bytes("", "429 Too Many Requests", "Retry-After: 1\r\n")};
      }};
  MockTarget target;
  const auto begun = Clock::now();
  EXPECT_EQ(target.sync(node.options()), "");
  EXPECT_GE(Clock::now() - begun, std::chrono::seconds{1});
}

TEST(NodeClient, EndsWithASentenceWhereNothingHelps) {
  const auto failing = [](const Misbehave& misbehave, const auto& alter) {
    MockNode node{forty(), misbehave};
    NodeOptions options = node.options();
    options.address.target = "/v3/topsecretkey";
    options.attempts = 3;
    alter(options);
    MockTarget target;
    const std::string why = target.sync(options);
    EXPECT_THAT(why, HasSubstr("http://127.0.0.1:"));
    EXPECT_THAT(why, Not(HasSubstr("topsecret")));
    EXPECT_EQ(target.store.counts().blocks, 0U);
    return why;
  };
  const auto none = [](NodeOptions&) {};
  const auto always = [](const std::string& bytes) {
    return
        [bytes](const MockRequest&, MockNode&) { return std::optional{MockReply{.bytes = bytes}}; };
  };
  EXPECT_THAT(failing(always(http_bytes("", "503 Unavailable")), none),
              HasSubstr("HTTP status 503 (3 attempts)"));
  EXPECT_THAT(failing(always(http_bytes("", "401 Unauthorized")), none),
              HasSubstr("check the key, --header or --jwt-secret"));
  EXPECT_THAT(failing(always(http_bytes("", "404 Not Found")), none),
              HasSubstr("not served at this path"));
  EXPECT_THAT(failing(always(http_bytes("", "302 Found", "Location: http://evil/\r\n")), none),
              HasSubstr("redirects are not followed"));
  EXPECT_THAT(failing(always(http_bytes("{}", "200 OK", "Content-Encoding: gzip\r\n")), none),
              HasSubstr("compressed"));
  EXPECT_THAT(
      failing(always(http_bytes(
                  R"({"id":null,"error":{"code":-32602,"message":"bad key topsecretkey"}})")),
              none),
      HasSubstr("bad key ..."));
  EXPECT_THAT(failing(always(http_bytes(std::string(4'000, ' '))),
                      [](NodeOptions& options) { options.answer_bytes = 1'000; }),
              HasSubstr("longer than the limit of 1000 bytes"));
  EXPECT_THAT(failing({}, [](NodeOptions& options) { options.address.port = 1; }),
              HasSubstr("it cannot be reached: "));
  EXPECT_THAT(
      failing(always("HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n"), none),
      HasSubstr("no answer of HTTP"));
}

// A node with a limit on calls, on bytes, or without batches.
TEST(NodeClient, FindsTheBatchThatTheNodeBears) {
  const auto limited = [](std::size_t most, const std::string& refusal) {
    return [most, refusal](const MockRequest& request, MockNode&) -> std::optional<MockReply> {
      std::size_t calls = 0;
      for (std::size_t at = 0; (at = request.body.find("\"method\"", at)) != std::string::npos;
           ++at)
        calls += 1;
      if (calls <= most) return std::nullopt;
      return MockReply{.bytes = refusal};
    };
  };
  const std::string too_large = http_bytes(
      R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}})");
  const std::string no_batch = http_bytes(
      R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}})");
  for (const auto& [most, refusal] :
       {std::pair{std::size_t{10}, too_large}, {3, http_bytes("", "413 Large")}, {1, no_batch}}) {
    const auto chain = forty();
    MockNode node{chain, limited(most, refusal)};
    MockTarget target;
    EXPECT_EQ(target.sync(node.options()), "") << most;
    target.expect_chain(chain);
    EXPECT_LE(target.batch, most);
  }
}

TEST(NodeClient, KeepsItsConnections) {
  MockNode node{forty()};
  MockTarget target;
  EXPECT_EQ(target.sync(node.options()), "");
  EXPECT_LE(node.socket().connections(), 4U);
  EXPECT_GT(node.socket().requests(), node.socket().connections());
}

TEST(NodeClient, SendsHeadersCredentialsAndTokens) {
  std::mutex mutex;
  std::string head;
  MockNode node{forty(), [&](const MockRequest& request, MockNode&) -> std::optional<MockReply> {
                  const std::lock_guard lock{mutex};
                  head = request.head;
                  return std::nullopt;
                }};
  NodeOptions options = node.options();
  options.address.credentials = "me:secret";
  options.address.target = "/v3/key?x=y";
  options.headers = {{"X-Api-Key", "abc"}};
  MockTarget plain;
  EXPECT_EQ(plain.sync(options), "");
  EXPECT_THAT(head, HasSubstr("POST /v3/key?x=y HTTP/1.1\r\n"));
  EXPECT_THAT(head, HasSubstr("Authorization: Basic bWU6c2VjcmV0\r\n"));
  EXPECT_THAT(head, HasSubstr("X-Api-Key: abc\r\n"));
  options.jwt_secret.assign(32, std::byte{7});
  MockTarget signed_in;
  EXPECT_EQ(signed_in.sync(options), "");
  EXPECT_THAT(head, HasSubstr("Authorization: Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."));
}

TEST(RequestGate, LetsFewerInAfterTheNodeWasBusy) {
  RequestGate gate{8};
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(gate.enter({}));
  gate.slow_down(std::chrono::milliseconds{20});
  gate.slow_down(std::chrono::milliseconds{20});  // of the same occasion
  for (int i = 0; i < 8; ++i) gate.leave(false);
  EXPECT_EQ(gate.allowed(), 4U);
  const auto begun = Clock::now();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(gate.enter({}));
    gate.leave(true);
  }
  EXPECT_GE(Clock::now() - begun, std::chrono::milliseconds{15});
  EXPECT_EQ(gate.allowed(), 8U);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(gate.enter(stop.get_token()));
}

TEST(BackOff, DoublesUpToItsLimit) {
  using std::chrono::milliseconds;
  for (std::size_t failures = 0; failures < 100; ++failures) {
    const auto wait = back_off(failures, milliseconds{100}, milliseconds{10'000});
    EXPECT_GE(wait, std::min(milliseconds{50} * (1 << std::min<std::size_t>(failures, 10)),
                             milliseconds{5'000}));
    EXPECT_LE(wait, milliseconds{10'000});
  }
}

}  // namespace
}  // namespace bloomery::ethlog
