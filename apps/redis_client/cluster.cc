#include "apps/redis_client/cluster.h"

#include <algorithm>
#include <thread>

#include "apps/redis_client/redirection.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

constexpr std::chrono::milliseconds kFirstPause{20};
constexpr std::chrono::milliseconds kLongestPause{500};
// Of one connection: a node that does not answer is asked again, or another one is.
constexpr std::chrono::milliseconds kLongestSilence{10'000};
constexpr std::string_view kWaitMilliseconds = "5000";

std::string name_of(const Endpoint& node) { return message(node.host, ":", node.port); }

// What a cluster answers while it is being changed, with the key untouched.
bool is_passing(const RedisReply& reply) {
  static constexpr std::string_view kPassing[] = {"MOVED ",   "ASK ",       "TRYAGAIN",
                                                  "LOADING",  "MASTERDOWN", "CLUSTERDOWN",
                                                  "READONLY", "NOREPLICAS", "UNBLOCKED"};
  return reply.is_error() && std::ranges::any_of(kPassing, [&](std::string_view begins) {
           return reply.text.starts_with(begins);
         });
}

RedisAddress at(RedisAddress address, const Endpoint& node) {
  address.host = node.host;
  address.port = node.port;
  return address;
}

}  // namespace

struct RedisCluster::Round {
  std::span<const ClusterCommand> commands;
  ClusterMode mode;
  std::uint64_t reply_bytes;
  std::vector<RedisReply> replies;
  Group pending;
  std::vector<std::uint8_t> done;                      // of each command
  std::vector<std::pair<Endpoint, std::size_t>> asks;  // a node to ask once, for that command
  std::optional<Error> trouble;                        // the last reason why some are pending
  bool ends = false;                                   // the trouble is final
  Clock::time_point until{};
  std::optional<Clock::time_point> strangers_since;  // redirections to no node of the cluster
  std::chrono::milliseconds next_pause = kFirstPause;
};

Result<RedisCluster> RedisCluster::open(const RedisAddress& address, Interrupted interrupted) {
  RedisCluster cluster{address, interrupted};
  auto topology = cluster.ask_topology({address.host, address.port});
  if (!topology) return topology.error();
  cluster.topology_ = std::move(*topology);
  return cluster;
}

Result<Topology> RedisCluster::ask_topology(const Endpoint& node) {
  auto asked = connection(node, false);
  if (!asked) return asked.error();
  const RedisCommand question{"CLUSTER", "NODES"};
  auto sent = (*asked)->post({&question, 1});
  auto replies = sent ? (*asked)->collect(1) : Result<std::vector<RedisReply>>{sent.error()};
  if (!replies) {
    connections_.erase({node, false});
    return replies.error();
  }
  const RedisReply& reply = replies->front();
  // "ERR This instance has cluster support disabled"
  if (reply.is_error() && reply.text.find("cluster support disabled") != std::string::npos)
    return Topology{node};
  if (reply.is_error()) return as_error(reply);
  return Topology::parse(reply.text, node, address_.is_encrypted);
}

// Any node that answers may say, each time another one first: one that is cut off from the others
// would repeat what was. The node of the address comes last, which may be a name for many.
Status RedisCluster::refresh() {
  std::vector<Endpoint> nodes = topology_.nodes();
  if (!nodes.empty())
    std::rotate(nodes.begin(),
                nodes.begin() + static_cast<std::ptrdiff_t>(refreshes_++ % nodes.size()),
                nodes.end());
  nodes.push_back({address_.host, address_.port});
  Status last = ok();
  for (const Endpoint& node : nodes) {
    auto topology = ask_topology(node);
    if (topology && topology->primaries() > 0) {
      topology_ = std::move(*topology);
      return ok();
    }
    if (!topology) last = topology.error();
    if (interrupted_ != nullptr && interrupted_()) return last;
  }
  return last;
}

Result<RedisConnection*> RedisCluster::connection(const Endpoint& node, bool reads_replica) {
  const std::pair key{node, reads_replica};
  if (const auto found = connections_.find(key); found != connections_.end()) return &found->second;
  RedisAddress address = at(address_, node);
  address.timeout = std::min(address.timeout, kLongestSilence);
  auto opened = RedisConnection::open(address, interrupted_);
  if (!opened) return opened.error();
  if (reads_replica)
    if (auto allowed = opened->call({"READONLY"}); !allowed) return allowed.error();
  return &connections_.emplace(key, std::move(*opened)).first->second;
}

std::string RedisCluster::node_name(std::uint16_t slot) const {
  const Topology::Primary* owner = topology_.owner(slot);
  return owner == nullptr ? "no node" : name_of(owner->at);
}

// By the node to send to, and whether it is asked as a replica.
std::map<std::pair<Endpoint, bool>, RedisCluster::Group> RedisCluster::groups(
    const Round& round) const {
  std::map<std::pair<Endpoint, bool>, Group> groups;
  const bool from_replicas = address_.reads_replicas && round.mode == ClusterMode::kRead &&
                             round.next_pause == kFirstPause;  // later from primaries
  for (const std::size_t i : round.pending) {
    const Topology::Primary* owner = topology_.owner(round.commands[i].slot);
    if (owner == nullptr) continue;
    if (from_replicas && !owner->replicas.empty())
      groups[{owner->replicas[round.commands[i].slot % owner->replicas.size()], true}].push_back(i);
    else
      groups[{owner->at, false}].push_back(i);
  }
  return groups;
}

// The last reply is that of WAIT. Where it is not enough, what was carried out is sent again, and
// its replies are lost.
bool RedisCluster::confirmed(Round& round, const Endpoint& node,
                             std::span<const RedisReply> replies) {
  const RedisReply& reply = replies.back();
  if (reply.is_integer() && reply.integer >= static_cast<std::int64_t>(address_.wait_replicas))
    return true;
  round.trouble = Error{ErrorCode::kIo,
                        message(name_of(node), ": ", reply.is_integer() ? reply.integer : 0, " of ",
                                address_.wait_replicas, " replicas confirmed the write (?wait=)")};
  const auto carried_out = static_cast<std::uint64_t>(std::ranges::count_if(
      replies.first(replies.size() - 1), [](const RedisReply& one) { return !is_passing(one); }));
  resent_ += carried_out;
  if (carried_out != 0 && round.mode == ClusterMode::kOnce) round.ends = true;
  return false;
}

void RedisCluster::take(Round& round, const Endpoint& node, const Group& group,
                        std::vector<RedisReply> replies) {
  for (std::size_t k = 0; k < group.size(); ++k) {
    const std::size_t i = group[k];
    RedisReply& reply = replies[k];
    if (!is_passing(reply)) {
      round.replies[i] = std::move(reply);
      round.done[i] = 1;
      continue;
    }
    const auto redirection = redirection_in(reply);
    if (redirection) {
      const Endpoint named{redirection->host.empty() ? node.host : redirection->host,
                           redirection->port};
      if (!topology_.find(named))
        note_stranger(round, named);
      else if (redirection->asks)
        round.asks.push_back({named, i});
    } else {
      round.trouble =
          Error{ErrorCode::kIo, message(name_of(node), " says: ", printable(reply.text))};
    }
  }
}

// A node that joined just now is soon known to all. Any other host does not get a connection, and
// not the password.
void RedisCluster::note_stranger(Round& round, const Endpoint& named) {
  constexpr std::chrono::seconds kUntilKnown{5};
  const auto now = Clock::now();
  if (!round.strangers_since) round.strangers_since = now;
  round.trouble =
      Error{ErrorCode::kIo, message("the cluster redirects to ", printable(name_of(named)),
                                    ", which is none of the nodes that it lists")};
  if (now - *round.strangers_since > kUntilKnown) round.ends = true;
}

bool RedisCluster::waits(const Round& round) const {
  return address_.wait_replicas > 0 &&
         (round.mode == ClusterMode::kWrite || round.mode == ClusterMode::kOnce);
}

// Sends to all nodes, then waits for all: they work at the same time.
void RedisCluster::exchange(Round& round) {
  const auto all = groups(round);
  const bool waits = this->waits(round);
  const std::string replicas = std::to_string(address_.wait_replicas);
  struct Sent {
    std::pair<Endpoint, bool> node;
    const Group* group;
  };
  std::vector<Sent> sent;
  const auto lost = [&](const std::pair<Endpoint, bool>& node, const Error& why, bool was_sent,
                        const Group& group) {
    connections_.erase(node);
    round.trouble = why;
    if (was_sent) resent_ += group.size();
    if (was_sent && round.mode == ClusterMode::kOnce) round.ends = true;
    if (why.code != ErrorCode::kIo) round.ends = true;  // no other try would be better
  };
  for (const auto& [node, group] : all) {
    auto open = connection(node.first, node.second);
    if (!open) {
      lost(node, open.error(), false, group);
      continue;
    }
    std::vector<RedisCommand> commands;
    for (const std::size_t i : group) commands.push_back(round.commands[i].words);
    if (waits) commands.push_back({"WAIT", replicas, kWaitMilliseconds});
    if (auto posted = (*open)->post(commands); !posted)
      lost(node, posted.error(), true, group);
    else
      sent.push_back({node, &group});
  }
  for (const Sent& part : sent) {
    auto replies =
        connections_.at(part.node).collect(part.group->size() + (waits ? 1 : 0), round.reply_bytes);
    if (!replies)
      lost(part.node, replies.error(), true, *part.group);
    else if (!waits || confirmed(round, part.node.first, *replies))
      take(round, part.node.first, *part.group, std::move(*replies));
  }
}

// A slot that moves: the node that gets it answers once for keys that have moved.
void RedisCluster::follow_asks(Round& round) {
  const bool waits = this->waits(round);
  const std::string replicas = std::to_string(address_.wait_replicas);
  for (const auto& [named, i] : std::exchange(round.asks, {})) {
    const auto node = topology_.find(named);  // take() has found it
    auto open = connection(*node, false);
    std::vector<RedisCommand> commands{{"ASKING"}, round.commands[i].words};
    if (waits) commands.push_back({"WAIT", replicas, kWaitMilliseconds});
    Status posted = open ? (*open)->post(commands) : Status{open.error()};
    auto answers = posted ? (*open)->collect(commands.size(), round.reply_bytes)
                          : Result<std::vector<RedisReply>>{posted.error()};
    if (!answers) {
      connections_.erase({*node, false});
      round.trouble = answers.error();
      ++resent_;
      if (round.mode == ClusterMode::kOnce) round.ends = true;
      continue;
    }
    if (waits && !confirmed(round, *node, std::span{*answers}.subspan(1))) continue;
    if (redirection_in((*answers)[1])) continue;  // it has not heard of the move, or that is over
    take(round, *node, {i}, {std::move((*answers)[1])});
  }
}

Status RedisCluster::pause(Round& round) {
  const auto error = [&](std::string_view why) {
    const Error last = round.trouble.value_or(Error{ErrorCode::kIo, "no node serves the slot"});
    return Error{last.code, message(last.message, why)};
  };
  if (round.ends) return error("");
  if (interrupted_ != nullptr && interrupted_()) return error("; interrupted");
  if (Clock::now() > round.until)
    return error(message("; the cluster did not serve the key within ",
                         std::max(address_.timeout, kLeastPatience).count() / 1000, " s"));
  if (round.trouble || round.next_pause != kFirstPause)
    std::this_thread::sleep_for(round.next_pause);
  round.next_pause = std::min(round.next_pause * 2, kLongestPause);
  return ok();
}

Result<std::vector<RedisReply>> RedisCluster::call_all(std::span<const ClusterCommand> commands,
                                                       ClusterMode mode,
                                                       std::uint64_t reply_bytes) {
  const auto patience = std::max(address_.timeout, kLeastPatience);
  Round round{.commands = commands,
              .mode = mode,
              .reply_bytes = reply_bytes,
              .replies = std::vector<RedisReply>(commands.size()),
              .pending = {},
              .done = std::vector<std::uint8_t>(commands.size()),
              .asks = {},
              .trouble = std::nullopt,
              .strangers_since = std::nullopt};
  for (std::size_t i = 0; i < commands.size(); ++i) round.pending.push_back(i);
  round.until = Clock::now() + patience;
  while (!round.pending.empty()) {
    const std::size_t before = round.pending.size();
    round.trouble.reset();
    exchange(round);
    follow_asks(round);
    std::erase_if(round.pending, [&](std::size_t i) { return round.done[i] != 0; });
    if (round.pending.empty()) break;
    if (round.pending.size() < before) {
      round.until = Clock::now() + patience;
      round.strangers_since.reset();
    }
    if (auto waited = pause(round); !waited) return waited.error();
    // A cluster that is electing answers with what it knows; the next round asks again.
    (void)refresh();
  }
  return std::move(round.replies);
}

Result<RedisReply> RedisCluster::call(const ClusterCommand& command, ClusterMode mode,
                                      std::uint64_t reply_bytes) {
  auto replies = call_all({&command, 1}, mode, reply_bytes);
  if (!replies) return replies.error();
  if (replies->front().is_error()) return as_error(replies->front());
  return std::move(replies->front());
}

Result<std::vector<RedisReply>> RedisCluster::call_together(std::uint16_t slot,
                                                            std::span<const RedisCommand> commands,
                                                            bool continues) {
  const auto until = Clock::now() + std::max(address_.timeout, kLeastPatience);
  for (auto wait = kFirstPause;; wait = std::min(wait * 2, kLongestPause)) {
    const Topology::Primary* owner = topology_.owner(slot);
    const Endpoint node = owner == nullptr ? Endpoint{} : owner->at;
    Error trouble{ErrorCode::kIo, "no node serves the slot"};
    if (continues && !connections_.contains({node, false}))
      return Error{ErrorCode::kIo, message("the connection to ", name_of(node), " was lost")};
    auto open = owner == nullptr ? Result<RedisConnection*>{trouble} : connection(node, false);
    Status posted = open ? (*open)->post(commands) : Status{open.error()};
    auto replies = posted ? (*open)->collect(commands.size())
                          : Result<std::vector<RedisReply>>{posted.error()};
    if (replies && std::ranges::none_of(*replies, is_passing)) return replies;
    connections_.erase({node, false});  // with what it watched or began
    trouble = replies ? Error{ErrorCode::kIo, message(name_of(node), " is not serving the slot")}
                      : replies.error();
    // What was sent and not answered may have been carried out: its caller must look.
    if (continues || (posted && !replies)) return trouble;
    if (Clock::now() > until || (interrupted_ != nullptr && interrupted_())) return trouble;
    std::this_thread::sleep_for(wait);
    (void)refresh();
  }
}

}  // namespace bloomery::redis_client
