// A served chain for the tests, and a client of it.
#pragma once
#include <gmock/gmock.h>

#include <condition_variable>
#include <nlohmann/json.hpp>

#include "apps/ethlog/serve/rpc.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {

// The other end of a WebSocket, which keeps what it receives.
class FakePeer final : public http::Peer {
 public:
  explicit FakePeer(std::size_t most = 1'000'000) : most_{most} {}
  bool send(std::string text) override {
    const std::lock_guard lock{mutex_};
    if (told_.size() >= most_) return false;
    told_.push_back(std::move(text));
    came_.notify_all();
    return true;
  }
  void close() override {}
  std::vector<std::string> take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(told_, {});
  }
  // Waits until so many came; a minute without them is a failure.
  std::vector<std::string> take(std::size_t count) {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(
        came_.wait_for(lock, std::chrono::minutes{1}, [&] { return told_.size() >= count; }))
        << "after a minute there are " << told_.size() << " of " << count << " messages";
    return std::exchange(told_, {});
  }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::string> told_;
};

class ServedChain {
 public:
  explicit ServedChain(ChainStore chain, const RpcLimits& limits = {}, std::uint64_t chain_id = 1)
      : store{std::move(chain)}, live{store, chain_id}, service{live, limits, "bloomery/test"} {}

  std::string ask(std::string_view body, const RpcPeer& peer = nullptr) {
    return Rpc{service}.answer(body, {.peer = peer});
  }
  using Params = std::vector<nlohmann::json>;
  static std::string request(const std::string& method, const nlohmann::json& params) {
    return nlohmann::json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}
        .dump();
  }
  nlohmann::json call(const std::string& method, const Params& params = {}) {
    return nlohmann::json::parse(ask(request(method, params)));
  }
  // As a server does it: the answer goes out where subscriptions begin.
  nlohmann::json call_as(const std::shared_ptr<FakePeer>& peer, const std::string& method,
                         const nlohmann::json& params) {
    service.subscriptions.send(peer, ask(request(method, params), peer));
    return nlohmann::json::parse(peer->take().at(0));
  }
  void add(const std::vector<ImportedBlock>& blocks, Gaps gaps = Gaps::kRefused) {
    for (const ImportedBlock& block : blocks) {
      const auto change = live.add(block, gaps);
      ASSERT_TRUE(change) << change.error().message;
    }
  }

  ChainStore store;
  LiveChain live;
  RpcService service;
};

}  // namespace bloomery::ethlog
