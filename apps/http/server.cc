#include "apps/http/server.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "apps/http/session.h"
#include "bloomery/base/message.h"

namespace bloomery::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Connections above the limit that still get a reply; those beyond are only closed.
constexpr std::size_t kTurnedAway = 64;
// When the process has no file descriptor or memory left, accepting would fail at once, again and
// again: each failure in a row doubles the pause.
constexpr std::chrono::milliseconds kPause{10};
constexpr std::chrono::milliseconds kLongestPause{320};

// Closing an idle connection helps only against these.
bool is_exhausted(const error_code& code) {
  const int error = code.value();
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

Error cannot_listen(const Address& address, const error_code& code) {
  const std::string text = text_of(address);
  if (code == asio::error::address_in_use)
    return {ErrorCode::kIo,
            message(text, ": the address is in use by another program; choose another port")};
  if (code == asio::error::access_denied)
    return {ErrorCode::kIo, message(text,
                                    ": the address is not allowed: ports below 1024 belong to the "
                                    "administrator; choose another port")};
  if (code.value() == EADDRNOTAVAIL)
    return {ErrorCode::kIo, message(text, ": is no address of this machine; choose another")};
  return {ErrorCode::kIo, message(text, ": cannot listen: ", code.message())};
}

}  // namespace

void SessionList::add(Session& session) {
  session.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &session;
  first_ = &session;
  ++size_;
}

void SessionList::remove(Session& session) {
  (session.previous_ == nullptr ? first_ : session.previous_->next_) = session.next_;
  if (session.next_ != nullptr) session.next_->previous_ = session.previous_;
  --size_;
}

Session::Session(Hub& hub, const ClientKey& client) : hub_{hub}, client_{client} {
  hub_.sessions.add(*this);
  hub_.open = hub_.sessions.size();
}

Session::~Session() {
  hub_.sessions.remove(*this);
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
  // The right to accept the next client. There is one; where it is lost to an exception, run() sees
  // that and begins again.
  class Turn {
   public:
    explicit Turn(bool& is_held) : is_held_{&is_held} { is_held = true; }
    Turn(Turn&& other) noexcept : is_held_{std::exchange(other.is_held_, nullptr)} {}
    Turn(const Turn&) = delete;
    Turn& operator=(Turn&&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (is_held_ != nullptr) *is_held_ = false;
    }

   private:
    bool* is_held_;
  };

  void accept(Turn turn);
  void recover(const error_code& code, Turn turn);
  void admit(tcp::socket socket, Turn turn);
  enum class Room { kMade, kSoon, kNone };
  Room make_room(const ClientKey* of = nullptr);
  bool is_crowded(const ClientKey& client) const;
  template <class Next>
  void pause(std::chrono::milliseconds time, Next next);
  void begin_stop() noexcept;
  void end_if_done();
  void run();

  // Connections refer to what stands above them, so they end before it.
  ServerOptions options_;
  bool has_turn_ = false;
  std::chrono::milliseconds next_pause_ = kPause;
  HandlerMemory stop_memory_;
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
  acceptor_.open(endpoint.protocol(), code);
  if (!code) acceptor_.set_option(tcp::acceptor::reuse_address{true}, code);
  if (!code) acceptor_.bind(endpoint, code);
  if (!code) acceptor_.listen(asio::socket_base::max_listen_connections, code);
  if (!code) options_.listen.port = acceptor_.local_endpoint(code).port();
  if (code) return cannot_listen(options_.listen, code);
  accept(Turn{has_turn_});
  io_thread_ = std::jthread{[this] { run(); }};
  return ok();
}

// An exception here is memory that ran out. The connection it hit has closed; if it hit the
// accepting itself, that begins again as soon as there is memory, and connections go on meanwhile.
void Server::Core::run() {
  for (;;) {
    try {
      if (!has_turn_ && !hub_.stopping) accept(Turn{has_turn_});
      io_.run();
      return;
    } catch (...) {
    }
    if (has_turn_ || hub_.stopping) continue;
    try {
      io_.run_for(kPause);
    } catch (...) {
    }
  }
}

void Server::Core::accept(Turn turn) {
  acceptor_.async_accept(
      [this, turn = std::move(turn)](const error_code& code, tcp::socket socket) mutable {
        if (hub_.stopping) return;
        if (code) return recover(code, std::move(turn));
        next_pause_ = kPause;
        admit(std::move(socket), std::move(turn));
      });
}

// Anything may go wrong with one client; the next one is to be served all the same.
void Server::Core::recover(const error_code& code, Turn turn) {
  if (is_exhausted(code)) make_room();
  const auto time = std::exchange(next_pause_, std::min(2 * next_pause_, kLongestPause));
  pause(time, [this, turn = std::move(turn)]() mutable { accept(std::move(turn)); });
}

template <class Next>
void Server::Core::pause(std::chrono::milliseconds time, Next next) {
  pause_.expires_after(time);
  pause_.async_wait([this, next = std::move(next)](const error_code& cancelled) mutable {
    if (!cancelled && !hub_.stopping) next();
  });
}

bool Server::Core::is_crowded(const ClientKey& client) const {
  const std::size_t most = options_.limits.connections_per_client;
  if (most == 0) return false;
  std::size_t its = 0;
  for (const Session* session = hub_.sessions.first(); session; session = session->next())
    if (session->client() == client && !session->is_turned_away()) ++its;
  return its >= most;
}

// One after the other: a client that comes while there is no place waits in the kernel's queue. A
// client that has too many makes no other wait: it loses one that is idle, or is turned away at
// once.
void Server::Core::admit(tcp::socket socket, Turn turn) {
  error_code ignored;
  const auto remote = socket.remote_endpoint(ignored);
  const ClientKey client = client_key(remote.address());
  const bool is_crowded_by_one = is_crowded(client);
  const bool is_full = hub_.sessions.size() - hub_.turned_away >= options_.limits.connections;
  Room room = Room::kMade;
  if (is_crowded_by_one)
    room = make_room(&client) == Room::kMade ? Room::kMade : Room::kNone;
  else if (is_full)
    room = make_room();
  if (room == Room::kSoon)
    return pause(kPause, [this, socket = std::move(socket), turn = std::move(turn)]() mutable {
      admit(std::move(socket), std::move(turn));
    });
  socket.set_option(tcp::no_delay{true}, ignored);
  if (room == Room::kMade) {
    start_http_session(hub_, std::move(socket), client);
  } else {
    ++hub_.refused;
    if (hub_.turned_away < kTurnedAway)
      turn_away(hub_, std::move(socket), client,
                is_crowded_by_one ? Crowd::kOfOneClient : Crowd::kOfAll);
  }
  accept(std::move(turn));
}

// A client that connects and keeps silent must not keep others out.
Server::Core::Room Server::Core::make_room(const ClientKey* of) {
  Session* longest = nullptr;
  Clock::time_point since = Clock::time_point::max();
  for (Session* session = hub_.sessions.first(); session; session = session->next()) {
    if (of != nullptr && session->client() != *of) continue;
    const auto waiting = session->waiting_since();
    if (!waiting || *waiting >= since) continue;
    longest = session;
    since = *waiting;
  }
  if (longest == nullptr) return Room::kNone;
  if (Clock::now() - since < options_.limits.grace_time) return Room::kSoon;
  if (const auto alive = longest->weak_from_this().lock()) alive->close();
  return Room::kMade;
}

void Server::Core::begin_stop() noexcept {
  hub_.stopping = true;
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  for (Session* session = hub_.sessions.first(); session != nullptr;) {
    Session* const next = session->next();
    if (const auto alive = session->weak_from_this().lock()) alive->close();
    session = next;
  }
  end_if_done();
}

void Server::Core::end_if_done() {
  if (hub_.stopping && hub_.sessions.size() == 0) guard_.reset();
}

void Server::Core::stop() {
  std::call_once(stopped_, [this] {
    if (io_thread_.joinable()) {
      post_without_allocating(io_, stop_memory_, [this] { begin_stop(); });
      io_thread_.join();
    }
    workers_.finish();
  });
}

Server::Server(std::unique_ptr<Core> core) : core_{std::move(core)} {}
Server::Server(Server&&) noexcept = default;
Server::~Server() = default;

Result<Server> Server::start(ServerOptions options) {
  const Address address = options.listen;
  try {
    auto core = std::make_unique<Core>(std::move(options));
    if (auto listening = core->listen(); !listening) return listening.error();
    return Server{std::move(core)};
  } catch (const std::system_error& trouble) {
    return Error{ErrorCode::kTooLarge,
                 message("cannot start the server on ", text_of(address),
                         ": no thread could be started: ", trouble.code().message(),
                         "; allow this user more processes, or this process more memory")};
  } catch (const std::exception& trouble) {  // no memory
    return Error{ErrorCode::kIo,
                 message("cannot start the server on ", text_of(address), ": ", trouble.what())};
  }
}

const Address& Server::address() const { return core_->address(); }
ServerCounts Server::counts() const { return core_->counts(); }
void Server::stop() { core_->stop(); }

}  // namespace bloomery::http
