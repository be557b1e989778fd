// The log search behind an address: JSON-RPC over HTTP and WebSocket, new blocks as they come, a
// page, metrics and health.
#pragma once
#include "apps/ethlog/serve/server_snapshot.h"

namespace bloomery::ethlog {

struct LogServerOptions {
  http::Address listen;
  http::Limits http;
  std::vector<std::string> hosts = {};
  std::vector<std::string> origins = {};
  std::size_t workers = 8;
  RpcLimits rpc;
  std::string version = "bloomery";
  std::filesystem::path folder = {};         // whose size is reported
  std::optional<FollowOptions> follow = {};  // for a chain that grows
  Follower::Warn warn = [](const auto&) {};  // called with problems of new blocks
};

class LogServer {
 public:
  // The chain must outlive it.
  static Result<std::unique_ptr<LogServer>> start(LiveChain& chain, LogServerOptions options);
  LogServer(const LogServer&) = delete;
  LogServer& operator=(const LogServer&) = delete;
  ~LogServer();  // ends connections, then the writers

  const http::Address& address() const { return http_->address(); }

 private:
  LogServer(LiveChain& chain, LogServerOptions options);
  Status listen();
  http::ServerOptions http_options();
  http::Reply handle(const http::Request& request);
  http::Reply call(const http::Request& request);
  std::string receive(const RpcPeer& peer, std::string_view message, const std::stop_token& stop);
  ServerSnapshot snapshot();

  LogServerOptions options_;
  LiveChain& chain_;
  RpcService service_;
  Rpc rpc_{service_};
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::mutex snapshot_mutex_;
  ServerSnapshot chain_snapshot_;  // not gathered anew for every request
  std::optional<std::chrono::steady_clock::time_point> gathered_;
  std::optional<Follower> follower_;
  std::optional<http::Server> http_;
};

}  // namespace bloomery::ethlog
