// The log server with clients of every kind while the chain grows, until it is stopped in the
// middle.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "apps/ethlog/serve/server.h"
#include "tests/apps/ethlog/serve/rpc_chain.h"
#include "tests/apps/http/client.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;

std::string posted(const std::string& body) {
  return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
         "Content-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

class ConcurrencyLogServer : public ::testing::Test {
 protected:
  ConcurrencyLogServer() : blocks_{made_chain(0, 60, Hash{})} {
    EXPECT_TRUE(served_.store.set_section_size(8));
    served_.add({blocks_.begin(), blocks_.begin() + 20});
    LogServerOptions options;
    options.listen = {"127.0.0.1", 0};
    options.workers = 3;
    auto started = LogServer::start(served_.live, std::move(options));
    EXPECT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }

  void grow() {
    for (std::size_t i = 20; i < blocks_.size(); ++i) {
      served_.add({blocks_[i]});
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }
  // Each answer has the logs of blocks 0, 1, 2, ... without a gap. False once the server is gone.
  bool search(http::Client& client) {
    const auto reply = client.ask(
        posted(ServedChain::request("eth_getLogs", json::array({{{"fromBlock", "0x0"}}}))));
    if (reply.status == 0) return false;
    const json found = json::parse(reply.body);
    if (found.contains("error")) return true;  // the chain changed too often meanwhile
    std::uint64_t next = 0;
    for (const json& log : found["result"]) EXPECT_EQ(log["blockNumber"], to_quantity(next++));
    EXPECT_GE(next, 20U);
    ++answers_;
    return true;
  }
  static bool subscribe(http::Client& client, const json& what) {
    if (client.upgrade().status != 101) return false;
    client.text(ServedChain::request("eth_subscribe", what));
    const auto answer = client.receive_frame();
    return answer.opcode == 1 && json::parse(answer.payload).contains("result");
  }

  const std::vector<ImportedBlock> blocks_;
  ServedChain served_{store_in_memory()};
  std::unique_ptr<LogServer> server_;
  std::atomic<int> answers_ = 0;
};

TEST_F(ConcurrencyLogServer, EveryClientSeesEveryBlockOnce) {
  std::vector<http::Client> peers;
  for (const json& what : {json::array({"newHeads"}), json{"logs", json::object()}}) {
    peers.emplace_back(server_->address());
    ASSERT_TRUE(subscribe(peers.back(), what));
  }
  std::atomic<bool> over = false;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      http::Client client{server_->address()};
      while (!over) {
        ASSERT_TRUE(search(client));
      }
      EXPECT_EQ(client.ask(http::get("/metrics")).status, 200U);
    });
  threads.emplace_back([&] {
    for (int i = 0; i < 20; ++i) {  // comes, subscribes and goes
      http::Client client{server_->address()};
      EXPECT_TRUE(subscribe(client, json::array({"newHeads"})));
      if (i % 2 == 0) client.send(http::Client::frame(8, "\x03\xe8"));
    }
  });
  grow();
  for (http::Client& peer : peers)
    for (std::uint64_t number = 20; number < blocks_.size(); ++number) {
      const json told = json::parse(peer.receive_frame().payload)["params"]["result"];
      EXPECT_EQ(told.contains("number") ? told["number"] : told["blockNumber"],
                to_quantity(number));
    }
  EXPECT_TRUE(http::eventually([&] { return answers_ > 4; }));
  over = true;
}

TEST_F(ConcurrencyLogServer, MayStopWhileItSearchesAndTells) {
  const http::Address address = server_->address();
  std::atomic<int> connected = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      http::Client client{address};
      ++connected;
      while (search(client)) {
      }
    });
  for (const json& what : {json::array({"newHeads"}), json{"logs", json::object()}})
    threads.emplace_back([&, what] {
      http::Client client{address};
      ++connected;
      if (!subscribe(client, what)) return;
      while (client.receive_frame().opcode == 1) {
      }
    });
  threads.emplace_back([this] { grow(); });
  EXPECT_TRUE(http::eventually([&] { return answers_ > 4 && connected == 5; }));
  server_.reset();
}

}  // namespace
}  // namespace bloomery::ethlog
