// What the connections of one server have in common: the ground they share, and how the server sees
// each of them. Everything here happens on the server's one I/O thread, unless said otherwise.
#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "apps/http/access.h"
#include "apps/http/budget.h"
#include "apps/http/server.h"
#include "apps/http/workers.h"

namespace boost::asio {
class io_context;
}

namespace bloomery::http {

using Clock = std::chrono::steady_clock;

class Session;

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
  bool is_v6 = false;
  std::unordered_set<Session*> sessions = {};
  std::size_t turned_away = 0;  // of them, those that are only told that there are too many
  std::function<void()> session_ended = {};
  // Read by any thread.
  std::atomic<bool> stopping{false};
  std::atomic<std::uint64_t> open{0}, web_sockets{0}, requests{0}, refused{0};
};

// One connection. It lives as long as something of it is under way: a read, a write, a handler.
class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(Hub& hub);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session();

  virtual void close() = 0;
  // Since when it only waits for its client, if it can be spared.
  virtual std::optional<Clock::time_point> waiting_since() const { return std::nullopt; }

 protected:
  Hub& hub_;
};

// A deadline that grows with what there is to send.
std::chrono::milliseconds send_time(const Limits& limits, std::size_t bytes);

// A text that grew as it was written may hold twice its bytes; what waits to be sent is held long.
inline void trim(std::string& text) {
  if (text.capacity() - text.size() > text.size() / 4) text.shrink_to_fit();
}

// Each takes over a connected socket. The second only says 503.
void start_http_session(Hub& hub, int socket);
void turn_away(Hub& hub, int socket);

struct Upgrade {
  std::string target, host, key, version;
};
void start_web_socket_session(Hub& hub, int socket, const Upgrade& upgrade);

}  // namespace bloomery::http
