// The messages that a WebSocket has yet to send, and the program's handle of that WebSocket.
#pragma once
#include <deque>
#include <mutex>

#include "apps/http/session.h"

namespace bloomery::http {

class WebSocketSession;

// The program may keep it after the WebSocket ended. Its signals to the session go through the I/O
// thread. Any thread.
class Outbox final : public Peer, public std::enable_shared_from_this<Outbox> {
 public:
  Outbox(Hub& hub, std::weak_ptr<WebSocketSession> session, const ClientKey& client,
         std::string path)
      : client_{text_of(client)},
        path_{std::move(path)},
        hub_{&hub},
        session_{std::move(session)},
        share_{std::in_place, hub.budget} {}

  bool send(std::string message) override;
  void close() override;
  std::string_view client() const override { return client_; }
  std::string_view path() const override { return path_; }

  // The rest is the session's, on the I/O thread.
  std::optional<std::string> next();
  void sent(std::size_t bytes);
  bool is_behind();
  void end();

 private:
  enum Signal : unsigned { kPump = 1, kGoodbye = 2, kClose = 4 };
  void notify(Signal signal);  // Precondition: mutex_ is held, hub_ is not null.
  void deliver();

  const std::string client_;
  const std::string path_;
  std::mutex mutex_;
  unsigned signals_ = 0;  // not delivered yet
  bool is_posted_ = false;
  HandlerMemory post_memory_;
  Hub* hub_;  // null once the WebSocket ended
  std::weak_ptr<WebSocketSession> session_;
  std::deque<std::string> messages_;
  std::size_t unsent_bytes_ = 0;  // what is being written counts
  std::optional<Share> share_;
};

}  // namespace bloomery::http
