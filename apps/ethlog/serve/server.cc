#include "apps/ethlog/serve/server.h"

#include <algorithm>

#include "apps/ethlog/serve/page.h"

namespace bloomery::ethlog {
namespace {

using Clock = std::chrono::steady_clock;

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

LogServer::LogServer(std::vector<ChainToServe> chains, LogServerOptions options)
    : options_{std::move(options)}, clients_{std::make_shared<Clients>(options_.rpc.clients)} {
  for (ChainToServe& chain : chains)
    chains_.push_back(
        std::make_unique<ChainService>(std::move(chain), options_.rpc, options_.version, clients_));
}

LogServer::~LogServer() {
  if (http_) http_->stop();  // before the members that its handlers use
}

Result<std::unique_ptr<LogServer>> LogServer::start(LiveChain& chain, LogServerOptions options) {
  std::vector<ChainToServe> only;
  only.push_back({.name = {}, .chain = &chain, .folder = options.folder, .follow = options.follow});
  return start(std::move(only), std::move(options));
}

Result<std::unique_ptr<LogServer>> LogServer::start(std::vector<ChainToServe> chains,
                                                    LogServerOptions options) {
  std::unique_ptr<LogServer> server{new LogServer{std::move(chains), std::move(options)}};
  if (const Status listening = server->listen(); !listening) return listening.error();
  return server;
}

Status LogServer::listen() {
  {
    const std::lock_guard lock{http_mutex_};
    auto listening = http::Server::start(http_options());
    if (!listening) return listening.error();
    http_.emplace(std::move(*listening));
  }
  for (const auto& chain : chains_) chain->begin(options_.warn);
  return ok();
}

http::ServerOptions LogServer::http_options() {
  http::ServerOptions options;
  options.listen = options_.listen;
  options.limits = options_.http;
  options.hosts = options_.hosts;
  options.origins = options_.origins;
  options.workers = options_.workers;
  options.compressed_from = options_.compressed_from;
  options.handle = [this](const http::Request& request) { return handle(request); };
  options.web_socket.accepts = [this](std::string_view path) {
    std::string_view rest;
    return chain_at(path, rest) != nullptr && (is_only() || rest.empty() || rest == "/");
  };
  options.web_socket.received = [this](const RpcPeer& peer, std::string_view message,
                                       const std::stop_token& stop) {
    return receive(peer, message, stop);
  };
  options.web_socket.closed = [this](const RpcPeer& peer) {
    std::string_view rest;
    if (ChainService* chain = chain_at(peer->path(), rest)) chain->rpc().subscriptions.forget(peer);
  };
  return options;
}

ChainService* LogServer::chain_at(std::string_view path, std::string_view& rest) const {
  rest = path;
  if (is_only()) return chains_[0].get();
  if (!path.starts_with('/')) return nullptr;
  const std::size_t end = std::min(path.find('/', 1), path.size());
  const std::string_view name = path.substr(1, end - 1);
  const auto at =
      std::ranges::find_if(chains_, [&](const auto& chain) { return chain->name() == name; });
  if (at == chains_.end()) return nullptr;
  rest = path.substr(end);
  return at->get();
}

// What the peer subscribed to begins with the answer, so it is sent where that is noted.
std::string LogServer::receive(const RpcPeer& peer, std::string_view message,
                               const std::stop_token& stop) {
  std::string_view rest;
  ChainService* chain = chain_at(peer->path(), rest);
  if (chain == nullptr) return {};
  chain->rpc().subscriptions.send(
      peer,
      chain->answer(message, {.peer = peer, .client = peer->client(), .end = {.stop = stop}}));
  return {};
}

http::Reply LogServer::call(const http::Request& request) {
  std::string_view rest;
  ChainService* chain = chain_at(request.path, rest);
  if (chain == nullptr || (!is_only() && !rest.empty() && rest != "/"))
    return text_reply(404, "there is no chain at this path; GET / names the chains\n");
  if (!is_json_type(request.content_type))
    return text_reply(415, "invalid content type, only application/json is supported\n");
  RpcVerdict verdict;
  http::Reply reply{.content_type = "application/json",
                    .body = chain->answer(request.body, {.client = request.client,
                                                         .end = {.stop = request.stop},
                                                         .verdict = &verdict})};
  // Where some calls of a batch were answered, each says for itself what became of it.
  if (verdict.refused == 0 || verdict.refused < verdict.calls) return reply;
  reply.status = 429;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(verdict.retry_after).count();
  reply.headers = {{"Retry-After", std::to_string(seconds)}};
  return reply;
}

http::Reply LogServer::show(std::string_view path) {
  std::string_view rest = path;
  ChainService* chain = nullptr;
  if (!is_only() && path != "/" && path != "/health" && path != "/metrics") {
    chain = chain_at(path, rest);
    if (chain == nullptr || rest == "/metrics")
      return text_reply(404, "there is no chain at this path; GET / names the chains\n");
    if (rest.empty()) rest = "/";
  }
  http::Reply reply;
  if (rest == "/metrics") {
    reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
    reply.body = metrics_text(snapshots(nullptr));
  } else if (rest == "/health") {
    const auto now = snapshots(chain);
    reply.status = std::ranges::all_of(now, &ServerSnapshot::is_healthy) ? 200 : 503;
    reply.content_type = "application/json";
    reply.body = is_only() || chain != nullptr ? health_text(now[0]) : health_text(now);
  } else if (rest == "/") {
    const auto now = snapshots(chain);
    reply.content_type = "text/html; charset=utf-8";
    reply.body = is_only() || chain != nullptr ? page_html(now[0]) : page_html(now);
    reply.headers = {{"Content-Security-Policy", std::string{page_policy()}},
                     {"Referrer-Policy", "no-referrer"}};
  } else {
    return text_reply(404, "there is /, /health and /metrics, and JSON-RPC by POST\n");
  }
  reply.headers.emplace_back("Cache-Control", "no-store");
  reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return reply;
}

http::Reply LogServer::handle(const http::Request& request) {
  if (request.method == "POST") return call(request);
  if (request.method == "GET" || request.method == "HEAD") return show(request.path);
  http::Reply reply = text_reply(405, "method not allowed\n");
  reply.headers = {{"Allow", "GET, HEAD, POST"}};
  return reply;
}

std::vector<ServerSnapshot> LogServer::snapshots(ChainService* only) {
  http::ServerCounts counts;
  {
    const std::lock_guard lock{http_mutex_};
    if (http_) counts = http_->counts();
  }
  std::vector<ServerSnapshot> all;
  for (const auto& chain : chains_) {
    if (only != nullptr && chain.get() != only) continue;
    ServerSnapshot& snapshot = all.emplace_back(chain->snapshot());
    snapshot.version = options_.version;
    snapshot.http = counts;
    snapshot.uptime = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun_);
  }
  return all;
}

}  // namespace bloomery::ethlog
