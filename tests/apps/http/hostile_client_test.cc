// Clients that hang up at the wrong moment, take more than their part, or send what two servers in
// a row would read differently.
#include <gmock/gmock.h>
#include <netinet/tcp.h>

#include <csignal>
#include <thread>

#include "apps/http/client_key.h"
#include "apps/http/server.h"
#include "tests/apps/http/client.h"

namespace bloomery::http {
namespace {

using std::chrono::milliseconds;

class ConcurrencyHostileClient : public ::testing::Test {
 protected:
  Server start() {
    options_.handle = [this](const Request& request) {
      handled_.add();
      if (request.path == "/large") return Reply{.body = std::string(8 << 20, 'x')};
      return Reply{.body = std::string{request.body}};
    };
    options_.web_socket.opened = [this](const std::shared_ptr<Peer>&) { opened_.add(); };
    options_.web_socket.received = [](const auto&, std::string_view text, const std::stop_token&) {
      return text == "large" ? std::string(4 << 20, 'x') : std::string{text};
    };
    options_.web_socket.closed = [this](const std::shared_ptr<Peer>&) { closed_.add(); };
    auto server = Server::start(options_);
    EXPECT_TRUE(server.has_value());
    return std::move(*server);
  }

  ServerOptions options_;
  Count handled_, opened_, closed_;
};

// The second request in each must never be run: it hides in what the first one's length leaves
// open.
TEST_F(ConcurrencyHostileClient, ARequestWithTwoLengthsIsRefusedAndWhatFollowsIsNotRun) {
  const Server server = start();
  const std::string host = "POST /first HTTP/1.1\r\nHost: localhost\r\n";
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  const std::string hidden = get("/hidden");
  const std::string length = std::to_string(hidden.size() + 5);
  const std::vector<std::string> ambiguous = {
      host + "Content-Length: " + length + "\r\n" + chunked + "\r\n0\r\n\r\n" + hidden,
      host + chunked + "Content-Length: " + length + "\r\n\r\n0\r\n\r\n" + hidden,
      host + "Content-Length: 0\r\nContent-Length: " + length + "\r\n\r\n" + hidden,
      host + "Content-Length: 0, " + length + "\r\n\r\n" + hidden,
      host + "Content-Length: +0\r\n\r\n" + hidden,
      host + "Content-Length: 0x0\r\n\r\n" + hidden,
      host + "Content-Length : 0\r\n\r\n" + hidden,
      host + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + hidden,
      host + chunked + chunked + "\r\n0\r\n\r\n" + hidden,
      host + chunked + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n" + hidden,
      host + "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n" + hidden,
      host + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + hidden,
      host + "Transfer-Encoding: chunked\x0b\r\n\r\n0\r\n\r\n" + hidden,
      host + "X: y\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
      host + std::string{"X: \0\r\n\r\n", 8} + hidden,
      host + chunked + "\r\n0x0\r\n\r\n" + hidden,
      host + chunked + "\r\n-0\r\n\r\n" + hidden,
      host + chunked + "\r\n4\r\nabcdX\r\n0\r\n\r\n" + hidden,
      "POST / HTTP/1.0\r\n" + chunked + "\r\n0\r\n\r\n" + hidden,
      "POST / HTTP/1.0\r\nConnection: keep-alive\r\n" + chunked + "\r\n0\r\n\r\n" + hidden,
  };
  for (const std::string& requests : ambiguous) {
    Client client{server.address()};
    client.send(requests);
    const auto reply = client.reply();
    EXPECT_TRUE(reply.status == 400 || reply.status == 501) << reply.status << " of " << requests;
    client.end_sending();
    EXPECT_EQ(client.reply().status, 0U) << requests;
  }
  EXPECT_EQ(handled_.now(), 0);
  EXPECT_EQ(Client{server.address()}.ask(post("x")).body, "x");
}

// A server that writes to a connection which is gone gets SIGPIPE, unless it asks not to.
TEST_F(ConcurrencyHostileClient, AClientThatIsGoneEndsNothingButItsConnection) {
  static volatile std::sig_atomic_t pipe_signals = 0;
  const auto before = std::signal(SIGPIPE, [](int) { pipe_signals = pipe_signals + 1; });
  const Server server = start();
  for (int i = 0; i < 20; ++i) {
    Client client{server.address(), 4096};
    client.send(get("/large") + get("/large"));
    if (i % 2 == 0) ::poll(nullptr, 0, 5);
    const linger reset{1, 0};
    if (i % 3 == 0) client.set(SOL_SOCKET, SO_LINGER, reset);
    client.leave();
    Client web_socket{server.address(), 4096};
    web_socket.upgrade();
    for (int message = 0; message < 4; ++message) web_socket.text("large");
    if (i % 3 == 0) web_socket.set(SOL_SOCKET, SO_LINGER, reset);
    web_socket.leave();
  }
  EXPECT_TRUE(eventually([&] { return server.counts().connections == 0; }));
  EXPECT_EQ(Client{server.address()}.ask(post("x")).body, "x");
  std::signal(SIGPIPE, before);
  EXPECT_EQ(pipe_signals, 0);
}

TEST_F(ConcurrencyHostileClient, AClientThatSendsNoMoreStillReadsEverything) {
  const Server server = start();
  Client client{server.address()};
  client.send(post("one") + get("/large") + post("three"));
  client.end_sending();
  EXPECT_EQ(client.reply().body, "one");
  EXPECT_EQ(client.reply().body.size(), 8U << 20);
  EXPECT_EQ(client.reply().body, "three");
  EXPECT_TRUE(client.is_ended());
}

TEST_F(ConcurrencyHostileClient, ARequestThatBreaksOffBehindWholeOnesEndsTheConnection) {
  const Server server = start();
  Client client{server.address()};
  client.send(post("one") + get("/large") + post("three").substr(0, 20));
  client.end_sending();
  EXPECT_EQ(client.reply().body, "one");
  EXPECT_EQ(client.reply().body.size(), 8U << 20);
  EXPECT_TRUE(client.is_ended());
}

TEST_F(ConcurrencyHostileClient, AWebSocketMayEndInTheMiddleOfAFrame) {
  const Server server = start();
  const std::string frame = Client::frame(1, std::string(300, 'x'));
  int web_sockets = 0;
  for (std::size_t bytes = 1; bytes < frame.size(); bytes += bytes < 10 ? 1 : 50)
    for (const bool is_half_closed : {false, true}) {
      Client client{server.address()};
      ASSERT_EQ(client.upgrade().status, 101U);
      ++web_sockets;
      client.send(std::string_view{frame}.substr(0, bytes));
      if (!is_half_closed) continue;
      client.end_sending();
      EXPECT_TRUE(client.is_ended());
    }
  EXPECT_TRUE(closed_.reaches(web_sockets));
  EXPECT_TRUE(eventually([&] { return server.counts().connections == 0; }));
}

TEST_F(ConcurrencyHostileClient, OneClientCannotTakeEveryPlace) {
  options_.limits.connections = 8;
  options_.limits.connections_per_client = 4;
  const Server server = start();
  std::vector<Client> greedy;
  for (int i = 0; i < 4; ++i) {  // answers pings, so no time limit ends them
    greedy.emplace_back(server.address());
    EXPECT_EQ(greedy.back().upgrade().status, 101U);
  }
  Client fifth{server.address()};
  const auto reply = fifth.ask(post("x"));
  EXPECT_EQ(reply.status, 429U);
  EXPECT_EQ(reply.body,
            "this client has as many connections as one may; close some, or try again later\n");
  Client other;
  other.bind("127.0.0.2");
  other.connect(server.address());
  EXPECT_EQ(other.ask(post("x")).body, "x");
  EXPECT_EQ(server.counts().refused, 1U);
  greedy.pop_back();
  EXPECT_TRUE(closed_.reaches(1));
  EXPECT_EQ(Client{server.address()}.ask(post("x")).body, "x");
}

TEST_F(ConcurrencyHostileClient, AClientsIdleConnectionGivesWayToItsNextOne) {
  options_.limits.connections_per_client = 2;
  options_.limits.grace_time = milliseconds{0};
  const Server server = start();
  Client first{server.address()}, second{server.address()};
  EXPECT_EQ(first.ask(post("x")).body, "x");
  EXPECT_EQ(second.ask(post("x")).body, "x");
  EXPECT_EQ(Client{server.address()}.ask(post("x")).body, "x");
  EXPECT_TRUE(first.is_ended());
}

TEST_F(ConcurrencyHostileClient, BehindAProxyTheLimitCanBeTakenAway) {
  options_.limits.connections_per_client = 0;
  const Server server = start();
  std::vector<Client> many;
  for (int i = 0; i < 200; ++i) many.emplace_back(server.address());
  for (Client& client : many) EXPECT_EQ(client.ask(post("x")).body, "x");
}

TEST(HttpClientKey, IsAnAddressOrANetwork) {
  const auto key = [](const char* text) { return client_key(boost::asio::ip::make_address(text)); };
  EXPECT_EQ(key("10.0.0.1"), key("::ffff:10.0.0.1"));
  EXPECT_NE(key("10.0.0.1"), key("10.0.0.2"));
  EXPECT_EQ(key("2001:db8:0:1::1"), key("2001:db8:0:1:ffff::2"));
  EXPECT_NE(key("2001:db8:0:1::1"), key("2001:db8:0:2::1"));
  EXPECT_NE(key("::1"), key("127.0.0.1"));
}

}  // namespace
}  // namespace bloomery::http
