// A client of a Redis Cluster, or of one server. It sends each command to the node that serves its
// slot, all nodes at once, and sends it again where the cluster moves slots, elects a primary or
// loses a node. Only nodes that the given cluster lists are connected to, and get the password.
#pragma once
#include <map>

#include "apps/redis_client/connection.h"
#include "apps/redis_client/topology.h"

namespace bloomery::redis_client {

struct ClusterCommand {
  RedisCommand words;
  std::uint16_t slot = 0;
};

enum class ClusterMode : std::uint8_t {
  kRead,  // from replicas where the address says so
  kReadPrimary,
  kWrite,  // and confirmed by as many replicas as the address says
  kOnce,   // the same, and not sent again where it was or may have been carried out: after a lost
           // connection, or where too few replicas confirmed it
};

class RedisCluster {
 public:
  static Result<RedisCluster> open(const RedisAddress& address, Interrupted interrupted = nullptr);

  // The replies in the order of the commands; error replies are among them, but for those that say
  // who serves a slot. A command whose connection was lost, or that too few replicas confirmed, is
  // sent again, so it may be carried out twice. kIo where nothing gets on for the timeout of the
  // address, at least kLeastPatience.
  Result<std::vector<RedisReply>> call_all(
      std::span<const ClusterCommand> commands, ClusterMode mode,
      std::uint64_t reply_bytes = RedisConnection::kShortReply);
  // The reply of one command. An error reply is an error.
  Result<RedisReply> call(const ClusterCommand& command, ClusterMode mode,
                          std::uint64_t reply_bytes = RedisConnection::kShortReply);
  // Commands of one slot over one connection, in this order and together, as WATCH and MULTI need
  // it. kIo where the connection is lost. `continues`: over the connection of the call before, or
  // not at all.
  Result<std::vector<RedisReply>> call_together(std::uint16_t slot,
                                                std::span<const RedisCommand> commands,
                                                bool continues = false);

  std::size_t primaries() const { return topology_.primaries(); }
  // Who serves the slot, in words.
  std::string node_name(std::uint16_t slot) const;
  // How many commands were sent again though they were or may have been carried out.
  std::uint64_t resent() const { return resent_; }

  static constexpr std::chrono::milliseconds kLeastPatience{20'000};

 private:
  using Group = std::vector<std::size_t>;  // indices of commands
  struct Round;

  RedisCluster(RedisAddress address, Interrupted interrupted)
      : address_{std::move(address)}, interrupted_{interrupted} {}
  bool waits(const Round& round) const;
  Result<RedisConnection*> connection(const Endpoint& node, bool reads_replica);
  Result<Topology> ask_topology(const Endpoint& node);
  Status refresh();
  std::map<std::pair<Endpoint, bool>, Group> groups(const Round& round) const;
  void exchange(Round& round);
  void take(Round& round, const Endpoint& node, const Group& group,
            std::vector<RedisReply> replies);
  void follow_asks(Round& round);
  static void note_stranger(Round& round, const Endpoint& named);
  bool confirmed(Round& round, const Endpoint& node, std::span<const RedisReply> replies);
  Status pause(Round& round);

  RedisAddress address_;
  Interrupted interrupted_;
  Topology topology_;
  std::map<std::pair<Endpoint, bool>, RedisConnection> connections_;
  std::uint64_t resent_ = 0;
  std::size_t refreshes_ = 0;
};

}  // namespace bloomery::redis_client
