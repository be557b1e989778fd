#include "apps/http/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/http/access.h"
#include "apps/http/reply_head.h"

namespace bloomery::http {
namespace {

TEST(HttpAddress, IsReadAndWritten) {
  const auto written = [](std::string_view text) {
    const auto address = parse_address(text);
    return address ? text_of(*address) : address.error().message;
  };
  EXPECT_EQ(written("127.0.0.1:8545"), "127.0.0.1:8545");
  EXPECT_EQ(written("0.0.0.0:0"), "0.0.0.0:0");
  EXPECT_EQ(written("localhost:65535"), "127.0.0.1:65535");
  EXPECT_EQ(written("[::1]:8545"), "[::1]:8545");
  EXPECT_EQ(written("[0:0::0:1]:8545"), "[::1]:8545");
}

TEST(HttpAddress, RefusesAnythingElse) {
  for (const std::string_view text : {"",
                                      ":",
                                      ":8545",
                                      "8545",
                                      "127.0.0.1",
                                      "127.0.0.1:",
                                      "127.0.0.1:65536",
                                      "127.0.0.1:-1",
                                      "127.0.0.1:+1",
                                      "127.0.0.1:80 ",
                                      " 127.0.0.1:80",
                                      "127.0.0.1:0x50",
                                      "127.0.0.1:80:81",
                                      "::1:8545",
                                      "[::1]",
                                      "[::1",
                                      "[::1]8545",
                                      "[]:80",
                                      "[127.0.0.1]:80",
                                      "[localhost]:80",
                                      "example.org:80",
                                      "127.1:80",
                                      "256.0.0.1:80",
                                      "[fe80::1%eth0]:80"}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address.has_value()) << text;
    EXPECT_EQ(address.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(address.error().message, testing::EndsWith("or localhost:8545"));
  }
  EXPECT_FALSE(parse_address({"127.0.0.1\0:80", 13}).has_value());
}

TEST(HttpAddress, KnowsWhatOnlyThisMachineReaches) {
  for (const auto* host : {"127.0.0.1", "127.255.0.1", "::1", "localhost", "::ffff:127.0.0.1"})
    EXPECT_TRUE(is_loopback({host, 1})) << host;
  for (const auto* host :
       {"0.0.0.0", "::", "10.0.0.1", "127.example", "128.0.0.1", "::ffff:10.0.0.1"})
    EXPECT_FALSE(is_loopback({host, 1})) << host;
}

TEST(HttpAccess, AHostMayHaveAnyPortAndAnyCase) {
  const Access access{{"Node.example"}, {}};
  EXPECT_EQ(access.host_refusal("node.EXAMPLE:1"), "");
  EXPECT_EQ(access.host_refusal("node.example."), "");
  EXPECT_NE(access.host_refusal("node.example.evil"), "");
  EXPECT_NE(access.host_refusal("[node.example"), "");
  EXPECT_NE(access.host_refusal("[localhost"), "");
}

TEST(HttpAccess, APageOfTheHostItselfMayAsk) {
  const Access access{{}, {}};
  EXPECT_EQ(access.origin_refusal("http://127.0.0.1:8545", "127.0.0.1:8545"), "");
  EXPECT_NE(access.origin_refusal("http://127.0.0.1:8546", "127.0.0.1:8545"), "");
  EXPECT_NE(access.origin_refusal("127.0.0.1:8545", "127.0.0.1:8545"), "");
  EXPECT_NE(access.origin_refusal("http://", ""), "");
  EXPECT_NE(access.origin_refusal("", ""), "");
}

TEST(HttpReplyHead, AHeaderIsOneLine) {
  EXPECT_EQ(header_line("Name", "value"), "Name: value\r\n");
  EXPECT_EQ(header_line("Name", "a\r\nOther: b"), "");
  EXPECT_EQ(header_line("Na\nme", "value"), "");
  EXPECT_EQ(reply_head({.status = 299, .headers = {{"A", "b"}}}, 3, true, "C: d\r\n"),
            "HTTP/1.1 299 \r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n"
            "Connection: keep-alive\r\nA: b\r\nC: d\r\n\r\n");
}

}  // namespace
}  // namespace bloomery::http
