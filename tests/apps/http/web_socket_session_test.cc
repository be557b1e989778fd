#include <gmock/gmock.h>

#include <thread>

#include "apps/http/server.h"
#include "tests/apps/http/client.h"

namespace bloomery::http {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr unsigned kContinuation = 0, kText = 1, kClose = 8, kPing = 9, kPong = 10;

class ConcurrencyWebSocket : public ::testing::Test {
 protected:
  Server start() {
    options_.handle = [](const Request&) { return Reply{.body = "plain"}; };
    options_.web_socket.opened = [this](const std::shared_ptr<Peer>& peer) {
      peer_ = peer;
      opened_.add();
    };
    options_.web_socket.received = [this](const auto& peer, std::string_view text,
                                          const std::stop_token& stop) {
      return handle(peer, text, stop);
    };
    options_.web_socket.closed = [this](const std::shared_ptr<Peer>&) { closed_.add(); };
    auto server = Server::start(options_);
    EXPECT_TRUE(server.has_value());
    return std::move(*server);
  }

  std::string handle(const std::shared_ptr<Peer>& peer, std::string_view text,
                     const std::stop_token& stop) {
    if (text == "throw") throw std::runtime_error{"for once"};
    if (text == "silence") return {};
    if (text == "large") return std::string(1 << 20, 'x');
    if (text == "bye") {
      for (const auto* word : {"one", "two", "three"}) peer->send(word);
      peer->close();
      EXPECT_FALSE(peer->send("four"));
      return {};
    }
    if (text == "wait") {
      waiting_.add();
      std::mutex mutex;
      std::condition_variable_any condition;
      std::unique_lock lock{mutex};
      condition.wait(lock, stop, [] { return false; });
      stopped_.add();
    }
    return std::string{text};
  }

  Client connected(const Server& server, int receive_bytes = 0) {
    Client client{server.address(), receive_bytes};
    EXPECT_EQ(client.upgrade().status, 101U);
    return client;
  }

  ServerOptions options_;
  Count opened_, closed_, waiting_, stopped_;
  std::shared_ptr<Peer> peer_;  // the last that was opened; read after opened_ was reached
};

TEST_F(ConcurrencyWebSocket, AnswersMessagesInOrder) {
  const Server server = start();
  Client client{server.address()};
  const auto reply = client.upgrade();
  EXPECT_THAT(reply.head, HasSubstr("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
  std::string frames;
  for (int i = 0; i < 200; ++i) frames += Client::frame(kText, std::to_string(i));
  client.send(frames);
  for (int i = 0; i < 200; ++i) {
    const Frame frame = client.receive_frame();
    EXPECT_EQ(frame.opcode, kText);
    EXPECT_EQ(frame.payload, std::to_string(i));
  }
  EXPECT_EQ(server.counts().requests, 200U);
  EXPECT_EQ(server.counts().web_sockets, 1U);
}

TEST_F(ConcurrencyWebSocket, JoinsFragmentsAndAnswersPingsBetweenThem) {
  const Server server = start();
  Client client = connected(server);
  client.send(Client::frame(kText, "bl", false) + Client::frame(kContinuation, "oom", false) +
              Client::frame(kPing, "still there?"));
  const Frame pong = client.receive_frame();
  EXPECT_EQ(pong.opcode, kPong);
  EXPECT_EQ(pong.payload, "still there?");
  client.send(Client::frame(kContinuation, "ery"));
  EXPECT_EQ(client.receive_frame().payload, "bloomery");
}

TEST_F(ConcurrencyWebSocket, EndsWithAGoodbye) {
  const Server server = start();
  Client client = connected(server);
  ASSERT_TRUE(opened_.reaches(1));
  client.send(Client::frame(kClose, "\x03\xe8"));
  EXPECT_EQ(client.receive_frame().close_code(), 1000U);
  EXPECT_TRUE(client.is_ended());
  EXPECT_FALSE(peer_->send("too late"));
  client.leave();
  EXPECT_TRUE(closed_.reaches(1));
  peer_->close();
  EXPECT_TRUE(eventually([&] { return server.counts().web_sockets == 0; }));
}

TEST_F(ConcurrencyWebSocket, SendsEverythingBeforeItCloses) {
  const Server server = start();
  Client client = connected(server);
  client.text("bye");
  for (const auto* word : {"one", "two", "three"}) EXPECT_EQ(client.receive_frame().payload, word);
  EXPECT_EQ(client.receive_frame().close_code(), 1000U);
  client.send(Client::frame(kClose, "\x03\xe8"));
  EXPECT_TRUE(client.is_ended());
}

TEST_F(ConcurrencyWebSocket, RefusesMessagesBeyondTheLimit) {
  options_.limits.body_bytes = 1000;
  options_.limits.request_time = milliseconds{50};
  const Server server = start();
  Client exact = connected(server);
  exact.text(std::string(1000, 'x'));
  EXPECT_EQ(exact.receive_frame().payload.size(), 1000U);
  Client large = connected(server);
  large.text(std::string(1001, 'x'));
  EXPECT_EQ(large.receive_frame().close_code(), 1009U);
  Client pieces = connected(server);
  pieces.send(Client::frame(kText, std::string(600, 'x'), false));
  pieces.send(Client::frame(kContinuation, std::string(600, 'x'), false));
  EXPECT_EQ(pieces.receive_frame().close_code(), 1009U);
  // A length alone reserves nothing.
  Client boast = connected(server);
  boast.send({"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14});
  EXPECT_EQ(boast.receive_frame().close_code(), 1009U);
  EXPECT_TRUE(boast.is_ended());
}

TEST_F(ConcurrencyWebSocket, RefusesWhatIsNoFrame) {
  options_.limits.request_time = milliseconds{50};
  const Server server = start();
  const std::vector<std::string> bad = {
      Client::frame(kText, "not masked", true, false),
      Client::frame(3, "no such kind"),
      Client::frame(kContinuation, "of nothing"),
      Client::frame(kPing, std::string(126, 'x')),
      Client::frame(kPing, "in pieces", false),
      Client::frame(kText, "first", false) + Client::frame(kText, "second"),
      std::string{"\xf1\x80\0\0\0\0", 6}};
  for (const auto& frames : bad) {
    Client client = connected(server);
    client.send(frames);
    EXPECT_EQ(client.receive_frame().close_code(), 1002U);
    EXPECT_TRUE(client.is_ended());
  }
  Client garbage = connected(server);
  garbage.text("\xff\xfe no text");
  EXPECT_EQ(garbage.receive_frame().close_code(), 1007U);
  EXPECT_EQ(Client{server.address()}.ask(get("/")).body, "plain");
}

TEST_F(ConcurrencyWebSocket, EndsMessagesThatDoNotArrive) {
  options_.limits.request_time = milliseconds{30};
  const Server server = start();
  Client client = connected(server);
  client.send(Client::frame(kText, "the first part", false));
  EXPECT_TRUE(client.is_ended());
  Client pings = connected(server);
  pings.send(Client::frame(kText, "x", false));
  while (pings.send(Client::frame(kPing, ""))) ::poll(nullptr, 0, 1);
  EXPECT_TRUE(closed_.reaches(2));
}

TEST_F(ConcurrencyWebSocket, AsksASilentPeerWhetherItIsThere) {
  options_.limits.idle_time = milliseconds{400};
  const Server server = start();
  Client client = connected(server);
  for (int i = 0; i < 4; ++i) {  // longer than the idle time in all
    EXPECT_EQ(client.receive_frame().opcode, kPing);
    client.send(Client::frame(kPong, ""));
  }
  client.text("x");
  Frame frame = client.receive_frame();
  while (frame.opcode == kPing) frame = client.receive_frame();
  EXPECT_EQ(frame.payload, "x");
  EXPECT_TRUE(client.is_ended());  // no more pongs
}

TEST_F(ConcurrencyWebSocket, APeerThatReadsNothingIsClosed) {
  options_.limits.unsent_bytes = 4 << 20;
  const Server server = start();
  Client deaf = connected(server, 4096);
  ASSERT_TRUE(opened_.reaches(1));
  const std::string message(1 << 20, 'x');
  int sent = 0;
  while (peer_->send(message)) ASSERT_LT(++sent, 20);
  EXPECT_GE(sent, 4);
  EXPECT_TRUE(closed_.reaches(1));
  EXPECT_EQ(server.counts().refused, 1U);
}

TEST_F(ConcurrencyWebSocket, APeerThatOnlyAsksHasToWait) {
  options_.limits.unsent_bytes = 4 << 20;
  options_.limits.send_time = milliseconds{100};
  const Server server = start();
  Client greedy = connected(server, 4096);
  for (int i = 0; i < 100; ++i) greedy.text("large");
  // It is not answered beyond half of what it may leave unread, and closed for not reading.
  EXPECT_TRUE(closed_.reaches(1));
  EXPECT_LT(server.counts().requests, 20U);
  Client client = connected(server);
  for (int i = 0; i < 20; ++i) client.text("large");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.receive_frame().payload.size(), 1U << 20);
}

TEST_F(ConcurrencyWebSocket, AnyThreadMaySend) {
  const Server server = start();
  Client client = connected(server);
  ASSERT_TRUE(opened_.reaches(1));
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) peer_->send("news");
    });
  client.text("asked");
  int news = 0, answers = 0;
  for (int i = 0; i < 201; ++i) ++(client.receive_frame().payload == "news" ? news : answers);
  EXPECT_EQ(news, 200);
  EXPECT_EQ(answers, 1);
}

TEST_F(ConcurrencyWebSocket, AHandlerThatThrowsClosesItsPeer) {
  const Server server = start();
  Client client = connected(server);
  client.text("throw");
  EXPECT_EQ(client.receive_frame().opcode, kClose);
  client.leave();
  EXPECT_TRUE(closed_.reaches(1));
}

TEST_F(ConcurrencyWebSocket, TellsAHandlerThatItsPeerIsGone) {
  const Server server = start();
  Client client = connected(server);
  client.text("wait");
  ASSERT_TRUE(waiting_.reaches(1));
  client.leave();
  EXPECT_TRUE(stopped_.reaches(1));
  EXPECT_TRUE(closed_.reaches(1));
}

TEST_F(ConcurrencyWebSocket, StopEndsHandlersAndTellsThatAllAreClosed) {
  Server server = start();
  Client busy = connected(server), idle = connected(server);
  busy.text("wait");
  busy.text("never handled");
  ASSERT_TRUE(waiting_.reaches(1));
  ASSERT_TRUE(opened_.reaches(2));
  server.stop();
  EXPECT_EQ(stopped_.now(), 1);
  EXPECT_EQ(closed_.now(), 2);
  EXPECT_TRUE(busy.is_ended());
  EXPECT_TRUE(idle.is_ended());
  EXPECT_FALSE(peer_->send("too late"));
}

TEST_F(ConcurrencyWebSocket, IsOpenedOnlyToPagesAndHostsThatMayAsk) {
  options_.origins = {"https://page.example"};
  const Server server = start();
  EXPECT_EQ(Client{server.address()}.upgrade("Origin: https://page.example\r\n").status, 101U);
  EXPECT_EQ(Client{server.address()}.upgrade("Origin: https://evil.example\r\n").status, 403U);
  Client early{server.address()};
  EXPECT_EQ(early
                .ask(get("/",
                         "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n") +
                     Client::frame(kText, "before it was accepted"))
                .status,
            400U);
}

TEST_F(ConcurrencyWebSocket, IsAPlainRequestWhereThereAreNone) {
  options_.handle = [](const Request&) { return Reply{.body = "plain"}; };
  const auto server = Server::start(options_);
  ASSERT_TRUE(server.has_value());
  EXPECT_EQ(Client{server->address()}.upgrade().body, "plain");
}

}  // namespace
}  // namespace bloomery::http
