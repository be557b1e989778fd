// One WebSocket: messages go to a worker one after the other, what is sent waits in an outbox.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "apps/http/outbox.h"

namespace bloomery::http {

class WebSocketSession final : public Session {
 public:
  WebSocketSession(Hub& hub, boost::asio::ip::tcp::socket&& socket, const ClientKey& client)
      : Session{hub, client}, stream_{std::move(socket)} {
    ++hub_.web_sockets;
  }
  ~WebSocketSession() override {
    if (outbox_) outbox_->end();
    --hub_.web_sockets;
  }

  void accept(const Upgrade& upgrade);
  void close() noexcept override;  // without a word
  void work(std::shared_ptr<Job> job) noexcept override;
  void say_goodbye(boost::beast::websocket::close_code code);
  void pump();

 private:
  enum class Event { kOpened, kReceived, kClosed };

  auto self() { return std::static_pointer_cast<WebSocketSession>(shared_from_this()); }
  template <class Action>
  auto handler(Action action) {
    return handler_of(self(), action);
  }
  const Limits& limits() const { return hub_.options.limits; }
  void accepted();
  void tick();
  void check_time();
  void ping();
  void read();
  void read_some(const boost::system::error_code& code);
  void dispatch();
  void begin_event(Event event) noexcept;
  void run_event();
  void handled();
  void end_of_events() noexcept;
  void written(const boost::system::error_code& code);
  void close_politely();
  void hear_goodbye();

  boost::beast::websocket::stream<boost::asio::ip::tcp::socket, false> stream_;
  boost::asio::steady_timer timer_{hub_.io};
  boost::beast::http::request<boost::beast::http::empty_body> request_;
  boost::beast::flat_buffer buffer_{limits().body_bytes + (4 << 10)};
  std::shared_ptr<Outbox> outbox_;
  std::stop_source stop_;
  Share share_{hub_.budget};
  std::string writing_;
  bool is_open_ = true;
  bool reading_ = false;
  bool message_waits_ = false;  // read, but the one before it is still being handled
  bool is_handling_ = false;
  bool is_writing_ = false;
  bool is_pinging_ = false;
  bool told_opened_ = false, told_closed_ = false;
  std::size_t handling_bytes_ = 0;
  // While a worker has an event these are its own.
  Event event_ = Event::kOpened;
  boost::beast::flat_buffer message_;
  HandlerMemory handled_memory_;
  std::optional<boost::beast::websocket::close_code>
      goodbye_;  // said once everything before it was
  Clock::time_point heard_ = Clock::now();
  std::optional<Clock::time_point> message_deadline_, write_deadline_, close_deadline_;
};

}  // namespace bloomery::http
