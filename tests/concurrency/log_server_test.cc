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

std::string posted(const std::string& body, const std::string& path = "/") {
  return "POST " + path +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
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

// Two chains behind one address, with clients at both paths while both grow.
TEST(ConcurrencyLogServers, OfSeveralChainsKeepThemApart) {
  std::vector<std::unique_ptr<ServedChain>> chains;
  std::vector<std::vector<ImportedBlock>> blocks;
  std::vector<ChainToServe> served;
  const std::vector<std::string> names{"main", "base"};
  for (std::uint64_t i = 0; i < names.size(); ++i) {
    chains.push_back(std::make_unique<ServedChain>(store_in_memory(), RpcLimits{}, 10 + i));
    blocks.push_back(made_chain(0, 40, Hash{}, i));
    chains[i]->add({blocks[i].begin(), blocks[i].begin() + 10});
    served.emplace_back();
    served.back().name = names[i];
    served.back().chain = &chains[i]->live;
  }
  LogServerOptions options;
  options.listen = {"127.0.0.1", 0};
  options.workers = 3;
  auto server = LogServer::start(std::move(served), std::move(options));
  ASSERT_TRUE(server) << server.error().message;
  const http::Address address = (*server)->address();
  const auto ask = [&](http::Client& client, std::size_t i, const std::string& method,
                       const json& params) {
    const auto reply = client.ask(posted(ServedChain::request(method, params), "/" + names[i]));
    return json::parse(reply.body)["result"];
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < names.size(); ++i) {
    threads.emplace_back([&, i] {
      http::Client client{address};
      for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(ask(client, i, "eth_chainId", json::array()), to_quantity(10 + i));
        const json logs = ask(client, i, "eth_getLogs", json::array({{{"fromBlock", "0x0"}}}));
        ASSERT_GE(logs.size(), 10U);
        for (const json& log : logs)
          EXPECT_EQ(log["topics"][0], filled_hash(static_cast<unsigned>(100 + i)).hex());
        EXPECT_EQ(client.ask(http::get("/" + names[i] + "/health")).status, 200U);
      }
    });
    threads.emplace_back([&, i] {
      for (std::size_t k = 10; k < blocks[i].size(); ++k) chains[i]->add({blocks[i][k]});
    });
  }
  threads.clear();
  http::Client client{address};
  const std::string metrics = client.ask(http::get("/metrics")).body;
  for (const char* line :
       {"bloomery_head_block{chain=\"main\"} ", "bloomery_head_block{chain=\"base\"} ",
        "bloomery_rpc_calls_total{chain=\"base\",method=\"eth_getLogs\"} 20\n",
        "\nbloomery_connections "})
    EXPECT_NE(metrics.find(line), std::string::npos) << line;
  for (const char* path : {"/", "/other", "/main/other", "/mai", "//main"})
    EXPECT_EQ(client.ask(posted(ServedChain::request("eth_chainId", json::array()), path)).status,
              404U)
        << path;
  EXPECT_EQ(client.ask(http::get("/")).status, 200U);
  EXPECT_EQ(client.ask(http::get("/main")).status, 200U);
  EXPECT_EQ(client.ask(http::get("/other")).status, 404U);
  EXPECT_EQ(json::parse(client.ask(http::get("/health")).body)["chains"].size(), 2U);
}

}  // namespace
}  // namespace bloomery::ethlog
