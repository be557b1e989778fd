#include "apps/ethlog/node/node_address.h"

#include <gmock/gmock.h>

#include "apps/ethlog/node/node_options.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(NodeAddress, KnowsFourSchemesAndTheirPorts) {
  EXPECT_EQ(parse_node_address("http://localhost")->port, 80);
  EXPECT_EQ(parse_node_address("WSS://localhost")->port, 443);
  EXPECT_TRUE(parse_node_address("wss://h")->secure);
  EXPECT_TRUE(parse_node_address("ws://h")->web_socket);
  EXPECT_FALSE(parse_node_address("https://h")->web_socket);
  const auto whole = parse_node_address("https://me:p%40ss@[::1]:8545/v3/KEY?a=b#part");
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(*whole, (NodeAddress{.secure = true,
                                 .web_socket = false,
                                 .host = "::1",
                                 .port = 8545,
                                 .target = "/v3/KEY?a=b",
                                 .credentials = "me:p@ss"}));
  EXPECT_EQ(whole->authority(), "[::1]:8545");
  EXPECT_EQ(parse_node_address("http://h?key=1")->target, "/?key=1");
  EXPECT_TRUE(is_node_address("ws://x"));
  EXPECT_FALSE(is_node_address("blocks.jsonl"));
}

TEST(NodeAddress, ShowsNoKey) {
  EXPECT_EQ(parse_node_address("https://me:pw@node.example/v3/SECRET")->shown(),
            "https://node.example/...");
  EXPECT_EQ(parse_node_address("ws://127.0.0.1:8546")->shown(), "ws://127.0.0.1:8546");
  EXPECT_EQ(parse_node_address("http://h/?key=SECRET")->shown(), "http://h/...");
}

TEST(NodeAddress, RefusesWhatIsNoneWithoutRepeatingIt) {
  for (const char* text :
       {"", "localhost:8545", "ftp://h", "http://", "http://:80", "http://h:0", "http://h:65536",
        "http://h:8x", "http://[::1", "http://[::1]x", "http://[secret]", "http://a b",
        "http://a\r\nX: y", "http://h/\x80", "http://%zz@h", "http://sec ret@h"}) {
    const auto parsed = parse_node_address(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message, Not(HasSubstr("sec")));
  }
  EXPECT_FALSE(parse_node_address("http://h/" + std::string(9000, 'a')));
}

TEST(NodeHeader, IsANameAndAValue) {
  const auto header = parse_node_header("Authorization:  Bearer x y ");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->name, "Authorization");
  EXPECT_EQ(header->value, "Bearer x y");
  for (const char* text : {"", "x", ": v", "a b: v", "a: v\nb: w", "Host: h", "content-length: 5",
                           "Sec-WebSocket-Key: x", "Transfer-Encoding: chunked"})
    EXPECT_FALSE(parse_node_header(text)) << text;
}

// The signature is the one of Python's hmac over the same bytes.
TEST(Jwt, IsSignedWithTheSecret) {
  const std::vector<std::byte> secret(32, std::byte{0x0b});
  const std::string token = jwt_token(secret, 1'700'000'000);
  EXPECT_THAT(token, testing::StartsWith("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
                                         "eyJpYXQiOjE3MDAwMDAwMDB9."));
  EXPECT_EQ(token.substr(token.rfind('.') + 1), "E_xavHVPgahvjgeASTu42Rwe9wBa4Ky-1GWsRWkCsK8");
  EXPECT_NE(token, jwt_token(secret, 1'700'000'001));
}

TEST(NodeSecrets, AreTakenOutOfEverySentence) {
  NodeOptions options;
  options.address =
      *parse_node_address("https://user12:password@h/v3/0123456789abcdef?t=longtoken");
  options.headers = {*parse_node_header("Authorization: Bearer abcdef123456")};
  const NodeSecrets secrets{options};
  const std::string text = secrets.clean(
      "POST /v3/0123456789abcdef?t=longtoken: key 0123456789abcdef of user12 (password), longtoken "
      "and abcdef123456 refused");
  for (const char* secret : {"0123456789abcdef", "longtoken", "user12", "password", "abcdef123456"})
    EXPECT_THAT(text, Not(HasSubstr(secret)));
  EXPECT_THAT(text, HasSubstr("refused"));
}

}  // namespace
}  // namespace bloomery::ethlog
