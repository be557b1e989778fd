// An HTTP/1.1 and WebSocket server for the programs that have one: bounded in memory, connections
// and time for any client, and closed to pages of other sites.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "apps/http/address.h"

namespace bloomery::http {

struct Limits {
  std::size_t header_bytes = 16 << 10;
  std::size_t body_bytes = 5 << 20;  // of a request, and of a WebSocket's message
  std::size_t unsent_bytes =
      8 << 20;  // that a WebSocket's peer may leave unread, then it is closed
  // What is held of requests and replies for all connections together. Beyond it large ones are
  // refused with 503; small ones never are.
  std::size_t total_bytes = 128 << 20;
  // Each further one takes the place of the one that has kept the server waiting longest, for at
  // least the grace time; if there is none it gets 503 and is closed.
  std::size_t connections = 256;
  // Of one address, or of one IPv6 network of 64 bits; 0: any number. Behind a proxy all clients
  // have its address. Each further one takes the place of that client's longest idle one, or is
  // replied 429 and closed.
  std::size_t connections_per_client = 128;
  std::chrono::milliseconds grace_time{100};
  std::chrono::milliseconds request_time{10'000};  // from a request's first byte to its last
  std::chrono::milliseconds idle_time{60'000};     // between requests
  std::chrono::milliseconds send_time{30'000};     // until a reply is taken, per MiB of it
};

// Views that live as long as the call.
struct Request {
  std::string_view method;
  std::string_view path;   // without the query
  std::string_view query;  // without '?'
  std::string_view content_type;
  std::string_view authorization;  // the header of that name
  std::string_view body;
  std::stop_token stop;          // the server ends, or the client is gone
  std::string_view client = {};  // its address, or IPv6 network of 64 bits, for limits per client
};

struct Reply {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// A request that no handler sees, because it could not be read: it was cut short or late, it is too
// large, its frame or encoding is none that is read, or the server had no room for it.
struct BrokenRequest {
  Request head;             // as far as it was read, without body
  bool is_head_whole;       // false: what is empty in the head may have been sent all the same
  std::string_view reason;  // lower case, no full stop
};

// The other end of a WebSocket. Any thread may use it, also after the connection ended.
class Peer {
 public:
  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  virtual ~Peer() = default;
  // Never waits. False if the peer is gone, or so far behind that it is closed now.
  virtual bool send(std::string message) = 0;
  virtual void close() = 0;
  // As Request::client; empty where it is not known.
  virtual std::string_view client() const { return {}; }
  // As Request::path, of the request that became a WebSocket.
  virtual std::string_view path() const { return {}; }
};

// Called from worker threads; for one peer one after the other, in order.
struct WebSocketEvents {
  // Whether there is something at a path; none: at every path. On the server's one I/O thread, so
  // it must not wait. Where there is nothing an upgrade is refused with 404.
  std::function<bool(std::string_view path)> accepts = {};
  std::function<void(const std::shared_ptr<Peer>& peer)> opened = {};
  // What is returned is sent, unless it is empty.
  std::function<std::string(const std::shared_ptr<Peer>& peer, std::string_view message,
                            const std::stop_token& stop)>
      received = {};
  std::function<void(const std::shared_ptr<Peer>& peer)> closed = {};
};

struct ServerOptions {
  Address listen;
  Limits limits;
  // Besides IP literals and localhost, which names a request's Host may have. "*": any.
  std::vector<std::string> hosts = {};
  // Which pages' scripts may ask: an Origin, or "*". A request without Origin is no page's.
  std::vector<std::string> origins = {};
  // Threads that run `handle` and the events, at least 1; and one for requests without a body only,
  // so that GET is answered while all others search.
  std::size_t workers = 4;
  // Replies from so many bytes on are compressed for clients that accept gzip or zstd; 0: none are.
  std::size_t compressed_from = 0;
  std::function<Reply(const Request&)> handle;
  // Hears of requests that broke, before their sender is answered: on the server's one I/O thread,
  // so it must not wait. Not of those that a Host or an Origin forbids, nor of any while the server
  // stops.
  std::function<void(const BrokenRequest&)> broken = {};
  WebSocketEvents web_socket = {};  // without `received`, an upgrade is refused
};

struct ServerCounts {
  std::uint64_t connections = 0;  // open now
  std::uint64_t web_sockets = 0;  // of them
  std::uint64_t requests = 0;     // answered since the start; messages of WebSockets too
  std::uint64_t refused = 0;      // by a limit, a Host or an Origin
};

class Server {
 public:
  // kIo if the address cannot be had; the sentence says what to do.
  static Result<Server> start(ServerOptions options);
  Server(Server&&) noexcept;
  Server& operator=(Server&&) = delete;
  ~Server();  // stop()

  const Address& address() const;  // with the port that was taken
  ServerCounts counts() const;
  // Closes every connection, ends every thread. Handlers that run are asked to stop and waited for.
  void stop();

 private:
  class Core;
  explicit Server(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace bloomery::http
