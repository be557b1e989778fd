#include "apps/http/server.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <thread>

#include "apps/http/session.h"
#include "bloomery/base/message.h"

namespace bloomery::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// How many of those above the limit are still told so; what comes beyond them is only closed.
constexpr std::size_t kTurnedAway = 64;
// When the process has no file descriptor left, accepting would fail at once, again and again.
constexpr std::chrono::milliseconds kPause{10};

Error cannot_listen(const Address& address, const error_code& code) {
  const std::string text = text_of(address);
  if (code == asio::error::address_in_use)
    return {ErrorCode::kIo,
            message(text, " is in use by another program: choose another port with --listen")};
  if (code == asio::error::access_denied)
    return {ErrorCode::kIo, message(text,
                                    " is not allowed: ports below 1024 belong to the "
                                    "administrator, choose another with --listen")};
  if (code.value() == EADDRNOTAVAIL)
    return {ErrorCode::kIo, message(text,
                                    " is no address of this machine: choose another with "
                                    "--listen")};
  return {ErrorCode::kIo, message("cannot listen on ", text, ": ", code.message())};
}

}  // namespace

Session::Session(Hub& hub) : hub_{hub} {
  hub_.sessions.insert(this);
  hub_.open = hub_.sessions.size();
}

Session::~Session() {
  hub_.sessions.erase(this);
  hub_.open = hub_.sessions.size();
  hub_.session_ended();
}

std::chrono::milliseconds send_time(const Limits& limits, std::size_t bytes) {
  return limits.send_time * (1 + static_cast<std::int64_t>(bytes >> 20));
}

class Server::Core {
 public:
  explicit Core(ServerOptions options) : options_{std::move(options)} {
    hub_.session_ended = [this] { end_if_done(); };
  }
  ~Core() { stop(); }

  Status listen();
  void stop();
  const Address& address() const { return options_.listen; }
  ServerCounts counts() const { return {hub_.open, hub_.web_sockets, hub_.requests, hub_.refused}; }

 private:
  void accept();
  void admit(std::shared_ptr<tcp::socket> socket);
  enum class Room { kMade, kSoon, kNone };
  Room make_room();
  template <class Next>
  void pause(Next next);
  void begin_stop();
  void end_if_done();
  void run();

  // Connections refer to what stands above them, so they end before it.
  ServerOptions options_;
  asio::io_context io_{1};
  Workers workers_{options_.workers};
  Hub hub_{options_, io_, workers_};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer pause_{io_};
  asio::executor_work_guard<asio::io_context::executor_type> guard_{io_.get_executor()};
  std::once_flag stopped_;
  std::jthread io_thread_;
};

Status Server::Core::listen() {
  error_code code;
  const auto ip = asio::ip::make_address(
      options_.listen.host == "localhost" ? "127.0.0.1" : options_.listen.host, code);
  if (code) return cannot_listen(options_.listen, code);
  const tcp::endpoint endpoint{ip, options_.listen.port};
  hub_.is_v6 = ip.is_v6();
  acceptor_.open(endpoint.protocol(), code);
  if (!code) acceptor_.set_option(tcp::acceptor::reuse_address{true}, code);
  if (!code) acceptor_.bind(endpoint, code);
  if (!code) acceptor_.listen(asio::socket_base::max_listen_connections, code);
  if (!code) options_.listen.port = acceptor_.local_endpoint(code).port();
  if (code) return cannot_listen(options_.listen, code);
  accept();
  io_thread_ = std::jthread{[this] { run(); }};
  return ok();
}

void Server::Core::run() {
  for (;;) {
    try {
      io_.run();
      return;
    } catch (const std::exception&) {
      // Memory ran out in the middle of one connection: it ended with what it held.
    }
  }
}

void Server::Core::accept() {
  acceptor_.async_accept([this](const error_code& code, tcp::socket socket) {
    if (hub_.stopping) return;
    if (!code) return admit(std::make_shared<tcp::socket>(std::move(socket)));
    // Anything may go wrong with one client; the next one is to be served all the same.
    make_room();
    pause([this] { accept(); });
  });
}

template <class Next>
void Server::Core::pause(Next next) {
  pause_.expires_after(kPause);
  pause_.async_wait([this, next = std::move(next)](const error_code& cancelled) {
    if (!cancelled && !hub_.stopping) next();
  });
}

// One after the other: who comes while there is no place waits in the kernel's queue.
void Server::Core::admit(std::shared_ptr<tcp::socket> socket) {
  const bool is_full = hub_.sessions.size() - hub_.turned_away >= options_.limits.connections;
  const Room room = is_full ? make_room() : Room::kMade;
  if (room == Room::kSoon) return pause([this, socket = std::move(socket)] { admit(socket); });
  error_code ignored;
  socket->set_option(tcp::no_delay{true}, ignored);
  if (room == Room::kMade) {
    start_http_session(hub_, socket->release());
  } else {
    ++hub_.refused;
    if (hub_.turned_away < kTurnedAway) turn_away(hub_, socket->release());
  }
  accept();
}

// Whoever connects and keeps silent must not keep others out.
Server::Core::Room Server::Core::make_room() {
  std::shared_ptr<Session> longest;
  Clock::time_point since = Clock::time_point::max();
  for (Session* session : hub_.sessions) {
    const auto waiting = session->waiting_since();
    if (!waiting || *waiting >= since) continue;
    if (auto alive = session->weak_from_this().lock()) {
      longest = std::move(alive);
      since = *waiting;
    }
  }
  if (!longest) return Room::kNone;
  if (Clock::now() - since < options_.limits.grace_time) return Room::kSoon;
  longest->close();
  return Room::kMade;
}

void Server::Core::begin_stop() {
  hub_.stopping = true;
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  std::vector<std::shared_ptr<Session>> all;
  for (Session* session : hub_.sessions)
    if (auto alive = session->weak_from_this().lock()) all.push_back(std::move(alive));
  for (const auto& session : all) session->close();
  all.clear();
  end_if_done();
}

void Server::Core::end_if_done() {
  if (hub_.stopping && hub_.sessions.empty()) guard_.reset();
}

void Server::Core::stop() {
  std::call_once(stopped_, [this] {
    if (io_thread_.joinable()) {
      asio::post(io_, [this] { begin_stop(); });
      io_thread_.join();
    }
    workers_.finish();
  });
}

Server::Server(std::unique_ptr<Core> core) : core_{std::move(core)} {}
Server::Server(Server&&) noexcept = default;
Server::~Server() = default;

Result<Server> Server::start(ServerOptions options) {
  auto core = std::make_unique<Core>(std::move(options));
  if (auto listening = core->listen(); !listening) return listening.error();
  return Server{std::move(core)};
}

const Address& Server::address() const { return core_->address(); }
ServerCounts Server::counts() const { return core_->counts(); }
void Server::stop() { core_->stop(); }

}  // namespace bloomery::http
