// Notifications that cannot be read may have reported a change: a sender with the right to notify
// flags everything with them, and no other sender does.
#include "tests/apps/tracker/watch/webhook_world.h"

namespace bloomery::tracker {
namespace {

struct BrokenWay {
  std::string_view what;
  unsigned status;           // 0: no client is left to answer
  std::string_view headers;  // of a POST
  std::string body = {};
};

const std::vector<BrokenWay>& broken_ways() {
  static const std::vector<BrokenWay> ways{
      {"compressed", 415, "Content-Encoding: gzip\r\nContent-Length: 3\r\n", "abc"},
      {"too large", 413, "Content-Length: 99999999\r\n"},
      {"too large in chunks", 413, "Transfer-Encoding: chunked\r\n",
       "600000\r\n" + std::string(0x600000, 'x') + "\r\n0\r\n\r\n"},
      {"a chunk without a length", 400, "Transfer-Encoding: chunked\r\n", "xyz\r\n"},
      {"cut short", 400, "Content-Length: 99\r\n", "{"},
      {"a length that is none", 400, "Content-Length: many\r\n"},
      {"two lengths", 400, "Content-Length: 2\r\nContent-Length: 3\r\n", "{}"},
      {"a length and chunks", 400, "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "{}"},
      {"another transfer encoding", 501, "Transfer-Encoding: gzip\r\n", "{}"},
      {"a field without a name", 400, "no colon\r\n"},
  };
  return ways;
}

std::string request_with(std::string_view method, std::string_view path, std::string_view first,
                         const BrokenWay& way) {
  std::string request{method};
  request.append(" ").append(path).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n").append(first);
  return request.append(way.headers).append("\r\n").append(way.body);
}

class WebhookBroken : public WebhookTest {
 protected:
  // The reply's status; the sender has ended by then.
  unsigned send_whole(const std::string& request) {
    http::Client client{*http::parse_address(webhook_->address())};
    client.send(request);
    client.end_sending();
    return client.reply().status;
  }
  void begin_again() { since_ = watcher_->next_cycle()->current; }
  std::string reason() {
    const auto status = watcher_->status();
    return status ? status->cycles.front().everything : status.error().message;
  }
  bool metrics_say(std::string_view line) {
    return ask(http::get("/metrics")).body.find(line) != std::string::npos;
  }
};

TEST_F(WebhookBroken, FlagsEverythingWhereNoTokenIsAskedFor) {
  start();
  for (const BrokenWay& way : broken_ways()) {
    begin_again();
    EXPECT_FALSE(changed("anything")) << way.what;
    EXPECT_EQ(send_whole(request_with("POST", "/", "", way)), way.status) << way.what;
    EXPECT_TRUE(changed("anything")) << way.what;
    EXPECT_TRUE(reason().starts_with("an event notification could not be read: ")) << reason();
  }
  begin_again();
  EXPECT_EQ(send_whole("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 400U);
  EXPECT_TRUE(changed("anything")) << "it may be a sender that speaks another HTTP";
}

TEST_F(WebhookBroken, FlagsEverythingWithTheTokenWhereverItStands) {
  start("secret");
  for (const BrokenWay& way : broken_ways()) {
    begin_again();
    EXPECT_EQ(send_whole(request_with("POST", "/?token=secret", "", way)), way.status) << way.what;
    EXPECT_TRUE(changed("anything")) << way.what;
    begin_again();
    const std::string_view token = "Authorization: Bearer secret\r\n";
    EXPECT_EQ(send_whole(request_with("POST", "/", token, way)), way.status) << way.what;
    EXPECT_TRUE(changed("anything")) << way.what << ", behind the token";
    begin_again();
    BrokenWay before = way;
    const std::string headers = std::string{way.headers} + std::string{token};
    before.headers = headers;
    EXPECT_EQ(send_whole(request_with("POST", "/", "", before)), way.status) << way.what;
    EXPECT_TRUE(changed("anything")) << way.what << ", before the token";
  }
  EXPECT_TRUE(said_.empty());
}

TEST_F(WebhookBroken, ALongHeaderCountsAsFarAsItCame) {
  start("secret");
  const std::string filler = "X: " + std::string(100'000, 'x') + "\r\n";
  const BrokenWay way{"long", 431, filler};
  EXPECT_EQ(send_whole(request_with("POST", "/", "Authorization: secret\r\n", way)), 431U);
  EXPECT_TRUE(changed("anything"));
  begin_again();
  EXPECT_EQ(send_whole(request_with("POST", "/", "", way)), 431U);
  EXPECT_FALSE(changed("anything")) << "an outsider could make every scan read everything";
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("before its token"), std::string::npos) << said_[0];
  EXPECT_TRUE(metrics_say("webhook_unheard_total 1\n"));
}

TEST_F(WebhookBroken, OutsidersAndOtherMethodsFlagNothing) {
  start("secret");
  for (const BrokenWay& way : broken_ways()) {
    EXPECT_EQ(send_whole(request_with("POST", "/?token=secres", "", way)), way.status) << way.what;
    EXPECT_EQ(send_whole(request_with("PUT", "/?token=secret", "", way)), way.status) << way.what;
  }
  EXPECT_EQ(send_whole("POST /?tok"), 400U) << "half a request line";
  EXPECT_FALSE(changed("anything"));
  EXPECT_TRUE(metrics_say("webhook_unreadable_total 0\n"));
  EXPECT_TRUE(metrics_say("webhook_unheard_total 1\n"));
  EXPECT_TRUE(metrics_say("webhook_refused_total 10\n"));
  EXPECT_LE(said_.size(), 2U) << "the first of each kind";
}

TEST_F(WebhookBroken, ASenderThatLeavesFlagsEverything) {
  start("secret");
  {
    http::Client client{*http::parse_address(webhook_->address())};
    client.set(SOL_SOCKET, SO_LINGER, linger{1, 0});  // leaving resets the connection
    client.send(
        "POST /?token=secret HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
        "Content-Length: 9\r\n\r\n");
    EXPECT_EQ(client.reply(false).status, 100U);
    client.send("{");
  }
  EXPECT_TRUE(http::eventually([&] { return changed("anything"); }));
}

// A page of another site may send what it likes to this machine; its browser says whose it is.
TEST_F(WebhookBroken, APageOfAnotherSiteFlagsNothing) {
  start();
  const BrokenWay way{"too large", 413, "Content-Length: 99999999\r\n"};
  EXPECT_EQ(send_whole(request_with("POST", "/", "Origin: https://evil.example\r\n", way)), 413U);
  EXPECT_FALSE(changed("anything"));
}

}  // namespace
}  // namespace bloomery::tracker
