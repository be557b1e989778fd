// Memory, file descriptors and threads run out in the middle of everything a server does: it loses
// connections by that, and never hears no more or ends.
#include <dirent.h>
#include <gmock/gmock.h>

#include <cstdio>
#include <thread>

#include "apps/http/server.h"
#include "tests/apps/http/client.h"
#include "tests/apps/http/faulty_memory.h"
#include "tests/apps/http/no_file_descriptors.h"

namespace bloomery::http {
namespace {

using testing::FaultyMemory;
using testing::SureMemory;

constexpr std::size_t kMostCalls = 5'000;

std::size_t open_descriptors() {
  std::size_t count = 0;
  DIR* const folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

class HttpFaults : public ::testing::Test {
 protected:
  Server start() {
    options_.workers = 2;
    // A connection that a fault silences is to be closed by the fault, and not by a time limit.
    options_.limits.request_time = options_.limits.idle_time = options_.limits.send_time =
        std::chrono::hours{1};
    options_.handle = [this](const Request& request) {
      handled_.add();
      return Reply{.body = std::string{request.body} + std::string(100, '!')};
    };
    options_.web_socket.opened = [this](const std::shared_ptr<Peer>& peer) {
      opened_.add();
      (void)peer->send("a welcome that is too long for a small string");
    };
    options_.web_socket.received = [](const auto& peer, std::string_view text,
                                      const std::stop_token&) {
      (void)peer->send("a word beforehand that is too long for a small string");
      return std::string{text} + std::string(100, '!');
    };
    options_.web_socket.closed = [this](const std::shared_ptr<Peer>&) { closed_.add(); };
    auto server = Server::start(options_);
    EXPECT_TRUE(server.has_value());
    return std::move(*server);
  }

  static bool answers(const Server& server) {
    Client client{server.address()};
    return client.ask(post("alive")).body.starts_with("alive");
  }

  // Whatever is refused or hung up on the way; a silence would fail the test after some seconds.
  static void use(const Server& server) {
    {
      Client client{server.address()};
      client.send(post("first") + post("pipelined"));
      client.reply();
      client.reply();
      client.ask(get("/kept-alive"));
      client.ask(
          "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
          "4\r\nbloo\r\n0\r\n\r\n");
      client.ask(get("/", "Origin: http://localhost\r\nConnection: close\r\n"));
    }
    Client client{server.address()};
    if (client.upgrade().status != 101) return;
    // A server that says goodbye waits for an answer: hanging up is one.
    const auto hears = [&](int frames) {
      for (int i = 0; i < frames; ++i)
        if (const unsigned kind = client.receive_frame().opcode; kind == 0 || kind == 8)
          return false;
      return true;
    };
    if (!hears(1) || !client.text("a message that is too long for a small string")) return;
    if (!hears(2) || !client.send(Client::frame(9, "ping"))) return;
    if (!hears(1) || !client.send(Client::frame(8, "\x03\xe8"))) return;
    hears(1);
  }

  // Every n until nothing fails any more.
  void run(std::size_t failures) {
    const Server server = start();
    use(server);
    EXPECT_TRUE(eventually([&] { return server.counts().connections == 0; }));
    const std::size_t descriptors = open_descriptors();
    const std::size_t before = FaultyMemory::injected();
    std::size_t allowed = 0;
    for (bool failed = true; failed && allowed < kMostCalls; ++allowed) {
      const std::size_t already = FaultyMemory::injected();
      {
        const FaultyMemory faulty{allowed, failures};
        use(server);
      }
      failed = FaultyMemory::injected() != already;
      ASSERT_TRUE(answers(server)) << "after allocation " << allowed << " failed";
    }
    EXPECT_TRUE(eventually([&] { return server.counts().connections == 0; }));
    EXPECT_EQ(server.counts().web_sockets, 0U);
    EXPECT_TRUE(eventually([&] { return open_descriptors() == descriptors; }));
    EXPECT_TRUE(eventually([&] { return opened_.now() <= closed_.now(); }));
    const std::size_t injected = FaultyMemory::injected() - before;
    EXPECT_GT(injected, 50U);
    std::printf("%zu faults injected in %zu sessions, %d WebSockets opened and %d closed\n",
                injected, allowed, opened_.now(), closed_.now());
  }

  ServerOptions options_;
  Count handled_, opened_, closed_;
  SureMemory sure_;
};

TEST_F(HttpFaults, AnyAllocationMayFailAndTheNextClientIsAnswered) { run(1); }
TEST_F(HttpFaults, ManyInARowMayFailAndTheNextClientIsAnswered) { run(40); }

TEST_F(HttpFaults, StopsThoughMemoryFails) {
  const std::size_t before = FaultyMemory::injected();
  for (std::size_t allowed = 0; allowed < 20; ++allowed) {
    Server server = start();
    Client idle{server.address()}, web_socket{server.address()};
    idle.ask(post("x"));
    web_socket.upgrade();
    web_socket.receive_frame();
    Client busy{server.address()};
    const FaultyMemory faulty{allowed, 1'000};
    busy.send(post("x"));
    server.stop();
    EXPECT_EQ(server.counts().connections, 0U);
  }
  EXPECT_EQ(opened_.now(), closed_.now());
  std::printf("%zu faults injected\n", FaultyMemory::injected() - before);
}

TEST_F(HttpFaults, AServerThatCannotStartSaysSo) {
  options_.handle = [](const Request& request) { return Reply{.body = std::string{request.body}}; };
  std::size_t refused = 0;
  std::string said;
  for (std::size_t allowed = 0; allowed < 200; ++allowed) {
    // On a thread whose memory may fail.
    bool is_right = false;
    std::jthread{[&, options = options_]() mutable {
      std::optional<FaultyMemory> faulty{allowed};
      const auto server = Server::start(std::move(options));
      faulty.reset();
      if (server) {
        is_right = answers(*server);
        return;
      }
      ++refused;
      said = server.error().message;
      is_right = said.starts_with("cannot start the server on 127.0.0.1:0: ");
    }}.join();
    ASSERT_TRUE(is_right) << allowed << ": " << said;
  }
  std::printf("%zu of 200 starts failed\n", refused);
  EXPECT_GT(refused, 5U);
}

TEST_F(HttpFaults, WithoutFileDescriptorsTheOthersAreServedAndLaterAll) {
  options_.limits.grace_time = std::chrono::hours{1};  // no connection makes room for another
  const Server server = start();
  Client open{server.address()};
  EXPECT_EQ(open.ask(post("x")).status, 200U);
  std::vector<Client> waiting(20);
  {
    const NoFileDescriptors none;
    for (Client& client : waiting) {
      client.connect(server.address());
      client.send(post("y"));
    }
    for (int i = 1; i <= 5; ++i) {
      EXPECT_TRUE(none.has_failed(i));
      EXPECT_EQ(open.ask(post("x")).status, 200U);
    }
    EXPECT_EQ(handled_.now(), 6);
  }
  for (Client& client : waiting) EXPECT_TRUE(client.reply().body.starts_with("y"));
}

}  // namespace
}  // namespace bloomery::http
