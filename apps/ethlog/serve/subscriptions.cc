#include "apps/ethlog/serve/subscriptions.h"

#include <algorithm>

#include "apps/ethlog/json/block_json.h"
#include "apps/ethlog/serve/filters.h"

namespace bloomery::ethlog {
namespace {

std::size_t bytes_of(const std::optional<SortedQuery>& query) {
  if (!query) return 0;
  std::size_t bytes = query->query().addresses.size() * sizeof(Address);
  for (const auto& choices : query->query().topics) bytes += choices.size() * sizeof(Topic);
  return bytes;
}

std::string notification(const std::string& id, std::string_view result) {
  std::string text = R"({"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":")";
  text += id;
  text += "\",\"result\":";
  text += result;
  text += "}}";
  return text;
}

}  // namespace

std::optional<std::string> Subscriptions::add_logs(const RpcPeer& peer, LogQuery query) {
  return add(peer, SortedQuery{std::move(query)});
}

std::optional<std::string> Subscriptions::add_heads(const RpcPeer& peer) {
  return add(peer, std::nullopt);
}

std::optional<std::string> Subscriptions::add(const RpcPeer& peer,
                                              std::optional<SortedQuery> query) {
  const std::size_t bytes = bytes_of(query);
  const std::lock_guard lock{mutex_};
  const auto known = peers_.find(peer.get());
  if (count_ >= limits_.of_all || query_bytes_ + bytes > limits_.query_bytes ||
      (known != peers_.end() && known->second.subscriptions.size() >= limits_.of_one_peer))
    return std::nullopt;
  PeerState& state = peers_[peer.get()];
  state.peer = peer;
  state.subscriptions.push_back({.id = new_rpc_id(), .query = std::move(query)});
  count_ += 1;
  query_bytes_ += bytes;
  return state.subscriptions.back().id;
}

bool Subscriptions::remove(const RpcPeer& peer, const std::string& id) {
  const std::lock_guard lock{mutex_};
  const auto at = peers_.find(peer.get());
  if (at == peers_.end()) return false;
  auto& all = at->second.subscriptions;
  const auto found =
      std::ranges::find_if(all, [&](const Subscription& one) { return one.id == id; });
  if (found == all.end()) return false;
  query_bytes_ -= bytes_of(found->query);
  count_ -= 1;
  all.erase(found);
  if (all.empty()) peers_.erase(at);
  return true;
}

Subscriptions::Map::iterator Subscriptions::erase(Map::iterator at) {
  for (const Subscription& one : at->second.subscriptions) query_bytes_ -= bytes_of(one.query);
  count_ -= at->second.subscriptions.size();
  return peers_.erase(at);
}

void Subscriptions::forget(const RpcPeer& peer) {
  const std::lock_guard lock{mutex_};
  if (const auto at = peers_.find(peer.get()); at != peers_.end()) erase(at);
}

void Subscriptions::send(const RpcPeer& peer, std::string answer) {
  const std::lock_guard lock{mutex_};
  const bool sent = answer.empty() || peer->send(std::move(answer));
  const auto at = peers_.find(peer.get());
  if (at == peers_.end()) return;
  if (!sent) {
    erase(at);
    return;
  }
  for (Subscription& one : at->second.subscriptions) one.begun = true;
}

bool Subscriptions::notify(const RpcPeer& peer, const Subscription& to, const ChainEvent& event) {
  if (!to.query) {
    for (const auto& block : event.added()) {
      std::string head;
      append_header_json(head, block->header);
      if (!peer->send(notification(to.id, head))) return false;
    }
    return true;
  }
  for (const EventLog& log : event.logs())
    if (wants(*to.query, log) && !peer->send(notification(to.id, log.json()))) return false;
  return true;
}

void Subscriptions::publish(const ChainEvent& event) {
  const std::lock_guard lock{mutex_};
  for (auto at = peers_.begin(); at != peers_.end();) {
    const PeerState& state = at->second;
    const bool there = std::ranges::all_of(state.subscriptions, [&](const Subscription& one) {
      return !one.begun || notify(state.peer, one, event);
    });
    at = there ? std::next(at) : erase(at);
  }
}

std::size_t Subscriptions::size() const {
  const std::lock_guard lock{mutex_};
  return count_;
}

}  // namespace bloomery::ethlog
