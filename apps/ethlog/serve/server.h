// The log search behind an address: JSON-RPC over HTTP and WebSocket for one chain or for several,
// new blocks as they come, a page, metrics and health.
#pragma once
#include "apps/ethlog/serve/chain_service.h"

namespace bloomery::ethlog {

struct LogServerOptions {
  http::Address listen;
  http::Limits http;
  std::vector<std::string> hosts = {};
  std::vector<std::string> origins = {};
  std::size_t workers = 8;
  std::size_t compressed_from = 4096;  // bytes of a reply; 0: none is
  RpcLimits rpc;
  std::string version = "bloomery";
  std::filesystem::path folder = {};         // of the only chain
  std::optional<FollowOptions> follow = {};  // of the only chain
  Follower::Warn warn = [](const auto&) {};  // called with problems of new blocks
};

class LogServer {
 public:
  // The chains must outlive it. One chain is served at every path.
  static Result<std::unique_ptr<LogServer>> start(LiveChain& chain, LogServerOptions options);
  // Each at its own path. Precondition: names that check_chain_name() takes, and none twice.
  static Result<std::unique_ptr<LogServer>> start(std::vector<ChainToServe> chains,
                                                  LogServerOptions options);
  LogServer(const LogServer&) = delete;
  LogServer& operator=(const LogServer&) = delete;
  ~LogServer();  // ends connections, then the writers

  const http::Address& address() const { return http_->address(); }

 private:
  LogServer(std::vector<ChainToServe> chains, LogServerOptions options);
  Status listen();
  http::ServerOptions http_options();
  bool is_only() const { return chains_.size() == 1 && chains_[0]->name().empty(); }
  // Null where there is none. `rest` is what follows its name: empty, or a path.
  ChainService* chain_at(std::string_view path, std::string_view& rest) const;
  http::Reply handle(const http::Request& request);
  http::Reply call(const http::Request& request);
  http::Reply show(std::string_view path);
  std::string receive(const RpcPeer& peer, std::string_view message, const std::stop_token& stop);
  // Of one chain, or of all.
  std::vector<ServerSnapshot> snapshots(ChainService* only);

  LogServerOptions options_;
  std::shared_ptr<Clients> clients_;
  std::vector<std::unique_ptr<ChainService>> chains_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::mutex http_mutex_;  // the first requests come before the server is stored
  std::optional<http::Server> http_;
};

}  // namespace bloomery::ethlog
