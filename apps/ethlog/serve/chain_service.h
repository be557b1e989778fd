// One chain of a server: its methods, its new blocks, and its state for the page and the metrics.
#pragma once
#include "apps/ethlog/import/follow_transactions.h"
#include "apps/ethlog/serve/server_snapshot.h"

namespace bloomery::ethlog {

struct ChainToServe {
  std::string name = {};       // its path without the slash; empty: the only one, at every path
  LiveChain* chain = nullptr;  // must outlive the server
  std::filesystem::path folder = {};         // whose size is reported
  std::optional<FollowOptions> follow = {};  // for a chain that grows
};

// Whether a chain may have the name: letters, digits, - and _, at most 32, and none of the server's
// own paths.
Status check_chain_name(std::string_view name);

class ChainService {
 public:
  ChainService(ChainToServe chain, const RpcLimits& limits, const std::string& version,
               const std::shared_ptr<Clients>& clients);
  ChainService(const ChainService&) = delete;
  ChainService& operator=(const ChainService&) = delete;
  ~ChainService() = default;  // ends the writers; no call may be under way

  const std::string& name() const { return chain_.name; }
  RpcService& rpc() { return service_; }
  std::string answer(std::string_view message, const RpcCaller& caller) const {
    return rpc_.answer(message, caller);
  }
  // New blocks are taken from now on.
  void begin(const Follower::Warn& warn);
  // Gathered anew at most every two seconds.
  ServerSnapshot snapshot();

 private:
  ChainToServe chain_;
  RpcService service_;
  Rpc rpc_{service_};
  std::mutex snapshot_mutex_;
  ServerSnapshot gathered_snapshot_;
  std::optional<std::chrono::steady_clock::time_point> gathered_;
  std::mutex writers_mutex_;  // requests come before the writers are there
  std::optional<Follower> follower_;
  std::optional<TransactionIndexer> indexer_;
};

}  // namespace bloomery::ethlog
