// Which node of a cluster serves which slot, as one node reports it.
#pragma once
#include <optional>
#include <vector>

#include "apps/redis_client/slots.h"
#include "bloomery/base/result.h"

namespace bloomery::redis_client {

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

class Topology {
 public:
  struct Primary {
    Endpoint at;
    std::vector<Endpoint> replicas;  // that can be reached, as far as the node knows
  };

  Topology() = default;  // serves no slot
  // A server that is no cluster: it serves all.
  explicit Topology(Endpoint only);
  // The reply to CLUSTER NODES. `asked` stands for a node that does not know its own host.
  // `by_name`: hosts by their names where they have some, for certificates.
  static Result<Topology> parse(std::string_view nodes, const Endpoint& asked, bool by_name);

  // Null: no node serves the slot now.
  const Primary* owner(std::uint16_t slot) const {
    const std::uint32_t index = owners_[slot];
    return index == kNone ? nullptr : &primaries_[index];
  }
  std::size_t primaries() const { return primaries_.size(); }  // that serve slots
  // Of the node that a redirection names by host or by name; empty where the cluster has none.
  std::optional<Endpoint> find(const Endpoint& named) const;
  const std::vector<Endpoint>& nodes() const { return nodes_; }  // all that can be reached

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Line;
  void take_slots(std::string_view ranges, std::uint32_t primary);

  std::vector<std::uint32_t> owners_ = std::vector<std::uint32_t>(kSlots, kNone);
  std::vector<Primary> primaries_;
  std::vector<Endpoint> nodes_;
  std::vector<std::pair<Endpoint, Endpoint>> names_;  // another spelling, and the node
};

}  // namespace bloomery::redis_client
