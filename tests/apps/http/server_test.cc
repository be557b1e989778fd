#include "apps/http/server.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/apps/http/client.h"
#include "tests/apps/http/no_file_descriptors.h"

namespace bloomery::http {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The names begin with Concurrency: so the thread sanitizer's run has these tests too.
class ConcurrencyHttpServer : public ::testing::Test {
 protected:
  Server start() {
    options_.handle = [this](const Request& request) { return handle(request); };
    auto server = Server::start(options_);
    EXPECT_TRUE(server.has_value());
    return std::move(*server);
  }

  Reply handle(const Request& request) {
    if (request.path == "/throw") throw std::runtime_error{"for once"};
    if (request.path == "/large") return {.body = std::string(large_bytes_, 'x')};
    if (request.path == "/query") return {.body = std::string{request.query}};
    if (request.path == "/wait") {
      entered_.add();
      std::unique_lock lock{mutex_};
      condition_.wait(lock, request.stop, [this] { return is_released_; });
      if (request.stop.stop_requested()) stopped_.add();
      return {.body = "waited"};
    }
    return {.content_type = "application/json", .body = std::string{request.body}};
  }

  void release() {
    const std::lock_guard lock{mutex_};
    is_released_ = true;
    condition_.notify_all();
  }

  ServerOptions options_;
  std::size_t large_bytes_ = 16 << 20;
  Count entered_, stopped_;

 private:
  std::mutex mutex_;
  std::condition_variable_any condition_;
  bool is_released_ = false;
};

TEST_F(ConcurrencyHttpServer, AnswersRequestAfterRequestOnOneConnection) {
  const Server server = start();
  Client client{server.address()};
  for (const std::string body : {"one", "", "three"}) {
    const auto reply = client.ask(post(body));
    EXPECT_EQ(reply.status, 200U);
    EXPECT_EQ(reply.body, body);
    EXPECT_THAT(reply.head, HasSubstr("Content-Type: application/json\r\n"));
    EXPECT_THAT(reply.head, HasSubstr("Connection: keep-alive\r\n"));
  }
  EXPECT_EQ(client.ask(get("/query?a=b&c")).body, "a=b&c");
  EXPECT_EQ(server.counts().connections, 1U);
  EXPECT_EQ(server.counts().requests, 4U);
}

TEST_F(ConcurrencyHttpServer, AnswersPipelinedRequestsInOrder) {
  const Server server = start();
  Client client{server.address()};
  std::string requests = "\r\n";
  for (int i = 0; i < 50; ++i) requests += post(std::to_string(i));
  client.send(requests);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.reply().body, std::to_string(i));
  // More than the session holds of them at once.
  const std::string padding(60, 'x');
  std::jthread sender{[&] {
    std::string many;
    for (int i = 0; i < 2000; ++i) many += post(padding + std::to_string(i));
    EXPECT_TRUE(client.send(many));
  }};
  for (int i = 0; i < 2000; ++i) {
    const auto reply = client.reply();
    ASSERT_EQ(reply.body, padding + std::to_string(i));
  }
  sender.join();
  for (const char byte : post("slowly")) client.send({&byte, 1});
  EXPECT_EQ(client.reply().body, "slowly");
}

TEST_F(ConcurrencyHttpServer, AnswersWhatWasPipelinedWhileAHandlerRan) {
  const Server server = start();
  Client client{server.address()};
  client.send(get("/wait"));
  ASSERT_TRUE(entered_.reaches(1));
  client.send(post("next"));
  client.send(post("last"));
  release();
  EXPECT_EQ(client.reply().body, "waited");
  EXPECT_EQ(client.reply().body, "next");
  EXPECT_EQ(client.reply().body, "last");
}

TEST_F(ConcurrencyHttpServer, EndsAConnectionWhereTheClientWantsIt) {
  const Server server = start();
  Client old{server.address()};
  EXPECT_THAT(old.ask("GET / HTTP/1.0\r\n\r\n").head, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(old.is_ended());
  Client polite{server.address()};
  EXPECT_EQ(polite.ask(get("/", "Connection: close\r\n")).status, 200U);
  EXPECT_TRUE(polite.is_ended());
}

TEST_F(ConcurrencyHttpServer, HeadGetsNoBody) {
  large_bytes_ = 1000;
  const Server server = start();
  Client client{server.address()};
  client.send("HEAD /large HTTP/1.1\r\nHost: [::1]:80\r\n\r\n");
  EXPECT_THAT(client.reply(false).head, HasSubstr("Content-Length: 1000\r\n"));
  EXPECT_EQ(client.ask(post("next")).body, "next");
}

TEST_F(ConcurrencyHttpServer, AnswersAClientThatSendsNoMore) {
  const Server server = start();
  Client client{server.address()};
  client.send(post("all"));
  client.end_sending();
  EXPECT_EQ(client.reply().body, "all");
  EXPECT_TRUE(client.is_ended());
  Client partial{server.address()};
  partial.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf");
  partial.end_sending();
  EXPECT_EQ(partial.reply().status, 400U);
  EXPECT_TRUE(partial.is_ended());
}

TEST_F(ConcurrencyHttpServer, ReadsChunkedBodies) {
  const Server server = start();
  Client client{server.address()};
  const std::string start =
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(client.ask(start + "4\r\nbloo\r\n4;x=y\r\nmery\r\n0\r\nTrailer: 1\r\n\r\n").body,
            "bloomery");
  EXPECT_EQ(client.ask(start + "0\r\n\r\n").status, 200U);
}

TEST_F(ConcurrencyHttpServer, AskedWhetherToContinueItSaysSo) {
  const Server server = start();
  Client client{server.address()};
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(client.reply().status, 100U);
  EXPECT_EQ(client.ask("body").body, "body");
}

TEST_F(ConcurrencyHttpServer, RefusesBodiesBeyondTheLimit) {
  options_.limits.body_bytes = 100'000;
  const Server server = start();
  EXPECT_EQ(Client{server.address()}.ask(post(std::string(100'000, 'x'))).body.size(), 100'000U);
  const std::string start = "POST / HTTP/1.1\r\nHost: localhost\r\n";
  // Refused before the body is sent, however large it was to be.
  for (const std::string length : {"100001", "9223372036854775807", "18446744073709551615"}) {
    const auto reply =
        Client{server.address()}.ask(start + "Content-Length: " + length + "\r\n\r\n");
    EXPECT_EQ(reply.status, 413U) << length;
    EXPECT_EQ(reply.body, "the request's body is too large: at most 100000 bytes are read\n");
  }
  Client chunked{server.address()};
  chunked.send(start + "Transfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 11; ++i) chunked.send("2710\r\n" + std::string(10'000, 'x') + "\r\n");
  EXPECT_EQ(chunked.reply().status, 413U);
  // One that goes on sending still reads the reply.
  Client deaf{server.address()};
  EXPECT_EQ(deaf.ask(post(std::string(2'000'000, 'x'))).status, 413U);
  EXPECT_EQ(server.counts().refused, 5U);
}

TEST_F(ConcurrencyHttpServer, RefusesHeadersBeyondTheLimit) {
  options_.limits.header_bytes = 2000;
  const Server server = start();
  EXPECT_EQ(Client{server.address()}.ask(get("/" + std::string(1500, 'x'))).status, 200U);
  EXPECT_EQ(Client{server.address()}.ask(get("/" + std::string(2500, 'x'))).status, 431U);
  EXPECT_EQ(Client{server.address()}.ask("GET /" + std::string(200'000, 'x')).status, 431U);
  Client endless{server.address()};
  endless.send("GET / HTTP/1.1\r\n");
  for (int i = 0; i < 200; ++i) endless.send("Name-" + std::to_string(i) + ": of no end\r\n");
  EXPECT_EQ(endless.reply().status, 431U);
}

TEST_F(ConcurrencyHttpServer, RefusesWhatIsNoRequest) {
  const Server server = start();
  const std::string host = "Host: localhost\r\n";
  const std::vector<std::string> bad = {
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
      "hello\r\n\r\n",
      "GET\r\n\r\n",
      "GET / HTTP/1.1\r\nno colon\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\n" + host + host + "\r\n",
      "GET http://localhost/ HTTP/1.1\r\n" + host + "\r\n",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999999999999999\r\n\r\n",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
      "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"};
  for (const auto& request : bad) {
    Client client{server.address()};
    EXPECT_EQ(client.ask(request).status, 400U) << request;
    client.end_sending();
    EXPECT_TRUE(client.is_ended());
  }
  EXPECT_EQ(Client{server.address()}
                .ask("POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n")
                .status,
            501U);
  EXPECT_EQ(Client{server.address()}
                .ask("POST / HTTP/1.1\r\n" + host + "Content-Encoding: gzip\r\n\r\n")
                .status,
            415U);
  EXPECT_EQ(Client{server.address()}.ask(get("/")).status, 200U);
}

TEST_F(ConcurrencyHttpServer, EndsRequestsThatDoNotArrive) {
  options_.limits.request_time = milliseconds{60};
  const Server server = start();
  Client header{server.address()}, body{server.address()}, drip{server.address()};
  header.send("GET / HTTP/1.1\r\nHost: local");
  body.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf");
  // One that always sends a little more has no more time than the others.
  drip.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n");
  while (server.counts().refused < 3 && drip.send("x")) ::poll(nullptr, 0, 1);
  EXPECT_EQ(drip.reply().status, 408U);
  EXPECT_EQ(header.reply().status, 408U);
  EXPECT_EQ(body.reply().status, 408U);
  EXPECT_TRUE(body.is_ended());
  EXPECT_EQ(Client{server.address()}.ask(post("x")).status, 200U);
}

TEST_F(ConcurrencyHttpServer, EndsConnectionsThatAreIdle) {
  options_.limits.idle_time = milliseconds{30};
  const Server server = start();
  Client silent{server.address()}, once{server.address()};
  EXPECT_EQ(once.ask(post("x")).status, 200U);
  EXPECT_TRUE(silent.is_ended());
  EXPECT_TRUE(once.is_ended());
}

TEST_F(ConcurrencyHttpServer, EndsReplyThatIsNotTaken) {
  options_.limits.send_time = milliseconds{3};  // times 17: of 16 MiB
  const Server server = start();
  Client client{server.address(), 4096};
  client.send(get("/large"));
  EXPECT_TRUE(eventually([&] { return server.counts().requests == 1; }));
  EXPECT_TRUE(eventually([&] { return server.counts().connections == 0; }));
  EXPECT_EQ(Client{server.address()}.ask(post("x")).status, 200U);
}

TEST_F(ConcurrencyHttpServer, ALongHandlerHoldsUpNobody) {
  options_.workers = 2;
  const Server server = start();
  Client slow{server.address()}, quick{server.address()};
  slow.send(get("/wait"));
  ASSERT_TRUE(entered_.reaches(1));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(quick.ask(post("x")).body, "x");
  release();
  EXPECT_EQ(slow.reply().body, "waited");
}

TEST_F(ConcurrencyHttpServer, HowItIsCanBeAskedWhileEveryHandlerIsBusy) {
  options_.workers = 1;
  const Server server = start();
  Client slow{server.address()}, queued{server.address()}, quick{server.address()};
  slow.send(post("x", "/wait"));
  ASSERT_TRUE(entered_.reaches(1));
  queued.send(post("queued"));
  EXPECT_EQ(quick.ask(get("/query?how")).body, "how");
  release();
  EXPECT_EQ(slow.reply().body, "waited");
  EXPECT_EQ(queued.reply().body, "queued");
}

TEST_F(ConcurrencyHttpServer, ConnectionsBeyondTheLimitAreToldSo) {
  options_.limits.connections = 2;
  options_.workers = 2;
  const Server server = start();
  Client first{server.address()}, second{server.address()};
  first.send(get("/wait"));
  second.send(get("/wait"));
  ASSERT_TRUE(entered_.reaches(2));
  for (int i = 0; i < 100; ++i) {  // more than get a reply: the rest is closed
    Client third{server.address()};
    third.send(get("/"));
    const auto reply = third.reply();
    EXPECT_TRUE(reply.status == 503 || reply.status == 0) << reply.status;
    if (i == 0) {
      EXPECT_EQ(reply.body, "the server has as many connections as it can; try again later\n");
    }
  }
  release();
  EXPECT_EQ(first.reply().body, "waited");
  EXPECT_EQ(second.reply().body, "waited");
  EXPECT_GE(server.counts().refused, 100U);
}

TEST_F(ConcurrencyHttpServer, SilentConnectionsKeepNobodyOut) {
  options_.limits.connections = 4;
  options_.limits.grace_time = milliseconds{20};
  const Server server = start();
  std::vector<Client> silent;
  for (int i = 0; i < 12; ++i)
    silent.emplace_back(server.address()).send(i % 2 == 0 ? "" : "GET /");
  Client client{server.address()};
  EXPECT_EQ(client.ask(post("x")).body, "x");
  EXPECT_TRUE(silent.front().is_ended());
  EXPECT_EQ(server.counts().refused, 0U);
}

TEST_F(ConcurrencyHttpServer, AcceptsAgainOnceThereAreFileDescriptors) {
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
  GTEST_SKIP() << "the sanitizer needs file descriptors itself, to look at a thread that begins";
#endif
#endif
  const Server server = start();
  Client waiting;
  {
    const NoFileDescriptors none;
    waiting.connect(server.address());
    waiting.send(post("x"));
    EXPECT_TRUE(none.has_failed(3));  // it tries again and again
    EXPECT_EQ(server.counts().connections, 0U);
  }
  EXPECT_EQ(waiting.reply().body, "x");
}

TEST_F(ConcurrencyHttpServer, RepliesThatNobodyTakesFillNoMemory) {
  large_bytes_ = 6 << 20;
  options_.limits.total_bytes = 20 << 20;
  const Server server = start();
  std::vector<Client> deaf;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    deaf.emplace_back(server.address(), 4096).send(get("/large"));
    EXPECT_TRUE(eventually([&] { return server.counts().requests == i; }));
  }
  Client client{server.address()};
  EXPECT_EQ(client.ask(get("/large")).status, 503U);
  EXPECT_EQ(client.ask(post("small")).body, "small");
  deaf.clear();
  EXPECT_TRUE(eventually([&] { return server.counts().connections == 1; }));
  EXPECT_EQ(client.ask(get("/large")).body.size(), large_bytes_);
}

TEST_F(ConcurrencyHttpServer, AHandlerThatThrowsIsAnInternalError) {
  const Server server = start();
  Client client{server.address()};
  const auto reply = client.ask(get("/throw"));
  EXPECT_EQ(reply.status, 500U);
  EXPECT_EQ(reply.body, "the request could not be answered: for once\n");
  EXPECT_EQ(client.ask(post("x")).body, "x");
}

TEST_F(ConcurrencyHttpServer, TellsAHandlerThatItsClientIsGone) {
  const Server server = start();
  Client client{server.address()};
  client.send(get("/wait") + post("pipelined"));
  ASSERT_TRUE(entered_.reaches(1));
  client.leave();
  EXPECT_TRUE(stopped_.reaches(1));
}

TEST_F(ConcurrencyHttpServer, StopEndsHandlersAndConnections) {
  options_.workers = 1;
  Server server = start();
  Client idle{server.address()}, busy{server.address()}, queued{server.address()};
  idle.ask(post("x"));
  busy.send(post("x", "/wait"));
  ASSERT_TRUE(entered_.reaches(1));
  queued.send(post("x", "/wait"));
  server.stop();
  server.stop();
  EXPECT_EQ(stopped_.now(), 1);
  EXPECT_TRUE(idle.is_ended());
  EXPECT_TRUE(busy.is_ended());
  EXPECT_TRUE(queued.is_ended());
  EXPECT_EQ(server.counts().connections, 0U);
}

TEST_F(ConcurrencyHttpServer, ServesManyAtOnce) {
  const Server server = start();
  std::vector<std::jthread> threads;
  std::atomic<int> answered = 0;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 25; ++i) {
        Client client{server.address()};
        const std::string body = std::to_string(thread) + "/" + std::to_string(i);
        for (int again = 0; again < 4; ++again) answered += client.ask(post(body)).body == body;
      }
    });
  threads.clear();
  EXPECT_EQ(answered, 400);
}

TEST_F(ConcurrencyHttpServer, AnswersOnlyForHostsThatAreItsOwn) {
  options_.hosts = {"node.example"};
  const Server server = start();
  const auto status = [&](const std::string& host) {
    return Client{server.address()}.ask("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status;
  };
  for (const auto* host : {"localhost", "LocalHost:8545", "127.0.0.1:1", "[::1]:8545", "10.0.0.1",
                           "node.example", "Node.Example:80"})
    EXPECT_EQ(status(host), 200U) << host;
  for (const auto* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8545",
                           "xnode.example", ""})
    EXPECT_EQ(status(host), 403U) << host;
  EXPECT_THAT(Client{server.address()}.ask("GET / HTTP/1.1\r\nHost: evil\r\n\r\n").body,
              StartsWith("the server does not answer for the host 'evil'; "));
}

TEST_F(ConcurrencyHttpServer, AnswersOnlyPagesThatWereNamed) {
  options_.origins = {"https://page.example"};
  const Server server = start();
  const auto ask = [&](const std::string& origin) {
    return Client{server.address()}.ask(get("/", "Origin: " + origin + "\r\n"));
  };
  EXPECT_THAT(ask("https://page.example").head,
              HasSubstr("Access-Control-Allow-Origin: https://page.example\r\nVary: Origin\r\n"));
  EXPECT_EQ(ask("http://localhost").status, 200U);  // the very host that is asked
  for (const auto* origin :
       {"https://evil.example", "http://page.example", "null", "http://localhost:81"}) {
    const auto reply = ask(origin);
    EXPECT_EQ(reply.status, 403U) << origin;
    EXPECT_THAT(reply.head, Not(HasSubstr("Access-Control")));
  }
}

TEST_F(ConcurrencyHttpServer, TellsABrowserBeforehandWhatAPageMay) {
  options_.origins = {"https://page.example"};
  const Server server = start();
  const auto ask = [&](const std::string& origin) {
    return Client{server.address()}.ask(
        "OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: " + origin +
        "\r\nAccess-Control-Request-Method: POST\r\n"
        "Access-Control-Request-Headers: content-type\r\n\r\n");
  };
  const auto reply = ask("https://page.example");
  EXPECT_EQ(reply.status, 204U);
  EXPECT_THAT(reply.head, HasSubstr("Access-Control-Allow-Methods: GET, HEAD, POST\r\n"));
  EXPECT_THAT(reply.head, HasSubstr("Access-Control-Allow-Headers: content-type\r\n"));
  EXPECT_THAT(reply.head, Not(HasSubstr("Content-Length")));
  EXPECT_EQ(ask("https://evil.example").status, 403U);
}

TEST_F(ConcurrencyHttpServer, AnyPageMayAskWhereThatIsSaid) {
  options_.origins = {"*"};
  options_.hosts = {"*"};
  const Server server = start();
  const auto reply = Client{server.address()}.ask(
      "GET / HTTP/1.1\r\nHost: any.example\r\nOrigin: https://other.example\r\n\r\n");
  EXPECT_EQ(reply.status, 200U);
  EXPECT_THAT(reply.head, HasSubstr("Access-Control-Allow-Origin: *\r\n"));
}

TEST_F(ConcurrencyHttpServer, SaysWhyItCannotListen) {
  const Server server = start();
  options_.listen = server.address();
  const auto taken = Server::start(options_);
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().message,
            text_of(server.address()) +
                ": the address is in use by another program; choose another port");
  options_.listen = {"192.0.2.1", 0};
  const auto foreign = Server::start(options_);
  ASSERT_FALSE(foreign.has_value());
  EXPECT_THAT(foreign.error().message, HasSubstr("is no address of this machine"));
}

}  // namespace
}  // namespace bloomery::http
