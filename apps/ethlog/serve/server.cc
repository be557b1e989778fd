#include "apps/ethlog/serve/server.h"

#include <algorithm>

#include "apps/ethlog/serve/page.h"

namespace bloomery::ethlog {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kSnapshotAge = std::chrono::seconds{2};

bool is_json_type(std::string_view content_type) {
  std::string type{content_type.substr(0, content_type.find(';'))};
  while (type.ends_with(' ')) type.pop_back();
  std::ranges::transform(type, type.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return type == "application/json" || type == "application/json-rpc" ||
         type == "application/jsonrequest";
}

http::Reply text_reply(unsigned status, std::string text) {
  return {.status = status, .body = std::move(text)};
}

}  // namespace

LogServer::LogServer(LiveChain& chain, LogServerOptions options)
    : options_{std::move(options)},
      chain_{chain},
      service_{chain, options_.rpc, options_.version} {}

LogServer::~LogServer() {
  if (http_) http_->stop();  // before the members that its handlers use
}

Result<std::unique_ptr<LogServer>> LogServer::start(LiveChain& chain, LogServerOptions options) {
  std::unique_ptr<LogServer> server{new LogServer{chain, std::move(options)}};
  if (const Status listening = server->listen(); !listening) return listening.error();
  return server;
}

Status LogServer::listen() {
  const std::lock_guard lock{snapshot_mutex_};  // the first requests come before this is over
  auto listening = http::Server::start(http_options());
  if (!listening) return listening.error();
  http_.emplace(std::move(*listening));
  if (options_.follow) follower_.emplace(chain_, *options_.follow, options_.warn);
  return ok();
}

http::ServerOptions LogServer::http_options() {
  http::ServerOptions options;
  options.listen = options_.listen;
  options.limits = options_.http;
  options.hosts = options_.hosts;
  options.origins = options_.origins;
  options.workers = options_.workers;
  options.handle = [this](const http::Request& request) { return handle(request); };
  options.web_socket.received = [this](const RpcPeer& peer, std::string_view message,
                                       const std::stop_token& stop) {
    return receive(peer, message, stop);
  };
  options.web_socket.closed = [this](const RpcPeer& peer) { service_.subscriptions.forget(peer); };
  return options;
}

// What the peer subscribed to begins with the answer, so it is sent where that is noted.
std::string LogServer::receive(const RpcPeer& peer, std::string_view message,
                               const std::stop_token& stop) {
  service_.subscriptions.send(
      peer, rpc_.answer(message, {.peer = peer, .client = peer->client(), .end = {.stop = stop}}));
  return {};
}

http::Reply LogServer::call(const http::Request& request) {
  if (!is_json_type(request.content_type))
    return text_reply(415, "invalid content type, only application/json is supported\n");
  return {
      .content_type = "application/json",
      .body = rpc_.answer(request.body, {.client = request.client, .end = {.stop = request.stop}})};
}

http::Reply LogServer::handle(const http::Request& request) {
  if (request.method == "POST") return call(request);
  if (request.method != "GET" && request.method != "HEAD") {
    http::Reply reply = text_reply(405, "method not allowed\n");
    reply.headers = {{"Allow", "GET, HEAD, POST"}};
    return reply;
  }
  http::Reply reply;
  if (request.path == "/metrics") {
    reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
    reply.body = metrics_text(snapshot());
  } else if (request.path == "/health") {
    const ServerSnapshot now = snapshot();
    reply.status = now.is_healthy() ? 200 : 503;
    reply.content_type = "application/json";
    reply.body = health_text(now);
  } else if (request.path == "/") {
    reply.content_type = "text/html; charset=utf-8";
    reply.body = page_html(snapshot());
    reply.headers = {{"Content-Security-Policy", std::string{page_policy()}},
                     {"Referrer-Policy", "no-referrer"}};
  } else {
    return text_reply(404, "there is /, /health and /metrics, and JSON-RPC by POST\n");
  }
  reply.headers.emplace_back("Cache-Control", "no-store");
  reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return reply;
}

ServerSnapshot LogServer::snapshot() {
  const std::lock_guard lock{snapshot_mutex_};
  if (!gathered_ || Clock::now() - *gathered_ >= kSnapshotAge) {
    chain_snapshot_ = {};
    snapshot_chain(chain_, options_.folder, chain_snapshot_);
    gathered_ = Clock::now();
  }
  ServerSnapshot snapshot = chain_snapshot_;
  snapshot.version = options_.version;
  if (follower_) snapshot.follow = follower_->counts();
  snapshot.filters = service_.filters.size();
  snapshot.subscriptions = service_.subscriptions.size();
  if (http_) snapshot.http = http_->counts();
  snapshot.methods = service_.statistics.methods();
  snapshot.totals = service_.statistics.totals();
  snapshot.last_queries = service_.statistics.last_queries();
  snapshot.uptime = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun_);
  return snapshot;
}

}  // namespace bloomery::ethlog
