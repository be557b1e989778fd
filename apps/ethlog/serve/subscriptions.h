// Subscriptions of WebSocket peers, which are notified when the chain changes. The server closes a
// peer that does not read its notifications; nothing here waits for one.
#pragma once
#include <map>
#include <memory>

#include "apps/ethlog/store/chain_events.h"
#include "apps/http/server.h"

namespace bloomery::ethlog {

using RpcPeer = std::shared_ptr<http::Peer>;

// Any thread may use it.
class Subscriptions {
 public:
  struct Limits {
    std::size_t of_one_peer = 1'000;
    std::size_t of_all = 100'000;
    std::size_t query_bytes = std::size_t{128} << 20;
  };
  Subscriptions() : Subscriptions{Limits{}} {}
  explicit Subscriptions(const Limits& limits) : limits_{limits} {}

  // The id; nothing when there are too many. It begins when the reply with the id was sent.
  std::optional<std::string> add_logs(const RpcPeer& peer, LogQuery query);
  std::optional<std::string> add_heads(const RpcPeer& peer);
  bool remove(const RpcPeer& peer, const std::string& id);
  void forget(const RpcPeer& peer);  // it is gone

  // Sends the reply to a peer, and its new subscriptions begin: no notification comes before the
  // id, and none after it is missed.
  void send(const RpcPeer& peer, std::string answer);
  void publish(const ChainEvent& event);
  std::size_t size() const;

 private:
  struct Subscription {
    std::string id;
    std::optional<SortedQuery> query;  // nothing: of heads
    bool begun = false;
  };
  struct PeerState {
    RpcPeer peer;
    std::vector<Subscription> subscriptions;
  };
  using Map = std::map<const http::Peer*, PeerState>;
  std::optional<std::string> add(const RpcPeer& peer, std::optional<SortedQuery> query);
  Map::iterator erase(Map::iterator at);
  static bool notify(const RpcPeer& peer, const Subscription& to, const ChainEvent& event);

  Limits limits_;
  mutable std::mutex mutex_;
  Map peers_;
  std::size_t count_ = 0;
  std::size_t query_bytes_ = 0;
};

}  // namespace bloomery::ethlog
