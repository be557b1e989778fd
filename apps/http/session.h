// The base of HTTP and WebSocket connections, and the state that the connections of a server share.
// Everything here runs on the server's one I/O thread, unless a comment says otherwise.
#pragma once
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/http/access.h"
#include "apps/http/budget.h"
#include "apps/http/client_key.h"
#include "apps/http/handler_memory.h"
#include "apps/http/server.h"
#include "apps/http/workers.h"

namespace bloomery::http {

using Clock = std::chrono::steady_clock;

class Session;

// Every session that lives. Being in it takes no memory.
class SessionList {
 public:
  void add(Session& session);
  void remove(Session& session);
  std::size_t size() const { return size_; }
  Session* first() const { return first_; }

 private:
  Session* first_ = nullptr;
  std::size_t size_ = 0;
};

struct Hub {
  Hub(const ServerOptions& the_options, boost::asio::io_context& the_io, Workers& the_workers)
      : options{the_options},
        io{the_io},
        workers{the_workers},
        access{options.hosts, options.origins},
        budget{options.limits.total_bytes} {}

  const ServerOptions& options;
  boost::asio::io_context& io;
  Workers& workers;
  const Access access;
  Budget budget;
  SessionList sessions = {};
  std::size_t turned_away = 0;  // of them, those that only get the reply that there are too many
  std::function<void()> session_ended = {};
  // Read by any thread.
  std::atomic<bool> stopping{false};
  std::atomic<std::uint64_t> open{0}, web_sockets{0}, requests{0}, refused{0};
};

// One connection. It lives as long as something of it is under way: a read, a write, a handler.
class Session : public Workers::Job, public std::enable_shared_from_this<Session> {
 public:
  Session(Hub& hub, const ClientKey& client);
  ~Session() override;

  virtual void close() noexcept = 0;
  // Since when it only waits for its client, if it can be spared.
  virtual std::optional<Clock::time_point> waiting_since() const { return std::nullopt; }
  virtual bool is_turned_away() const { return false; }
  const ClientKey& client() const { return client_; }
  Session* next() const { return next_; }

 protected:
  Hub& hub_;

 private:
  friend class SessionList;
  const ClientKey client_;
  Session* next_ = nullptr;
  Session* previous_ = nullptr;
};

// A session's claim to be called back. Where memory runs out the callback is dropped instead: then
// the session closes, because nothing else would ever happen to it.
class Claim {
 public:
  explicit Claim(std::shared_ptr<Session> session) : session_{std::move(session)} {}
  Claim(Claim&&) noexcept = default;
  Claim(const Claim&) = delete;
  Claim& operator=(Claim&&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim() {
    if (session_) session_->close();
  }
  std::shared_ptr<Session> honoured() { return std::exchange(session_, nullptr); }

 private:
  std::shared_ptr<Session> session_;
};

// The handler of an operation: calls action(session, results...). A session whose action throws, or
// is never called, closes.
template <class Kind, class Action>
auto handler_of(std::shared_ptr<Kind> session, Action action) {
  return [claim = Claim{std::move(session)}, action](const auto&... results) mutable {
    const auto me = claim.honoured();
    try {
      action(static_cast<Kind&>(*me), results...);
    } catch (...) {
      me->close();
    }
  };
}

// A deadline that grows with what there is to send.
std::chrono::milliseconds send_time(const Limits& limits, std::size_t bytes);

// A text that grew as it was written may hold twice its bytes; what waits to be sent is held long.
inline void trim(std::string& text) {
  if (text.capacity() - text.size() > text.size() / 4) text.shrink_to_fit();
}

// Each takes over a connected socket, unless it throws. The second only says that there are too
// many: 503, or 429 where they are of the same client.
enum class Crowd { kOfAll, kOfOneClient };
void start_http_session(Hub& hub, boost::asio::ip::tcp::socket&& socket, const ClientKey& client);
void turn_away(Hub& hub, boost::asio::ip::tcp::socket&& socket, const ClientKey& client,
               Crowd crowd);

struct Upgrade {
  std::string target, host, key, version;
};
void start_web_socket_session(Hub& hub, boost::asio::ip::tcp::socket&& socket,
                              const ClientKey& client, const Upgrade& upgrade);

}  // namespace bloomery::http
