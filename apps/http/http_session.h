// One HTTP connection: reads a request, lets a worker answer it, writes the reply, and again.
// http_session.cc reads requests; http_session_reply.cc answers them.
#pragma once
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>

#include "apps/http/answer.h"
#include "apps/http/session.h"

namespace bloomery::http {

inline constexpr std::size_t kHttpBufferBytes = 64 << 10;  // Beast reads at most this much at once

inline std::string_view view_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

class HttpSession final : public Session {
 public:
  HttpSession(Hub& hub, boost::asio::ip::tcp::socket&& socket, const ClientKey& client)
      : Session{hub, client}, socket_{std::move(socket)} {}

  ~HttpSession() override {
    if (is_turned_away_) --hub_.turned_away;
  }

  void turn_away(Crowd crowd);
  void next_request();
  void refuse(unsigned status, std::string text);
  void close() noexcept override;
  void work(std::shared_ptr<Job> job) noexcept override;
  std::optional<Clock::time_point> waiting_since() const override;
  bool is_turned_away() const override { return is_turned_away_; }

 private:
  enum class Stage { kIdle, kReading, kHandling, kWriting, kLingering, kClosed };

  auto self() { return std::static_pointer_cast<HttpSession>(shared_from_this()); }
  template <class Action>
  auto handler(Action action) {
    return handler_of(self(), action);
  }
  void enter(Stage stage) { stage_ = stage, since_ = Clock::now(); }
  void wait(std::chrono::milliseconds time);
  void on_timeout();
  void fill();
  void filled(const boost::system::error_code& code);
  void proceed();
  void begin_request();
  bool failed(const boost::system::error_code& code);
  void broke(std::string_view reason, bool is_head_whole) noexcept;
  void write_broken(Reply reply, bool is_head_whole);
  void refuse_broken(Reply reply, bool is_head_whole);
  void on_header();
  bool refused_by_access();
  void answer_preflight();
  void upgrade();
  void say_continue();
  void read_body();
  void dispatch();
  void handled();
  void write(Reply reply);
  void written(const boost::system::error_code& code);
  void linger();

  const Limits& limits() const { return hub_.options.limits; }
  std::string_view header(boost::beast::http::field field) {
    return view_of(parser_->get()[field]);
  }

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_{hub_.io};
  boost::beast::flat_buffer buffer_{std::max(limits().header_bytes, kHttpBufferBytes)};
  std::optional<boost::beast::http::request_parser<Message::body_type>> parser_;
  Stage stage_ = Stage::kIdle;
  Clock::time_point since_ = Clock::now();
  bool is_turned_away_ = false;
  bool timed_out_ = false;
  bool filling_ = false;     // a read of what may come is under way
  bool peer_ended_ = false;  // it sends no more; it may still read
  bool keep_alive_ = false;  // after the reply
  bool head_only_ = false;   // the reply's body is not sent
  std::string cors_;         // the reply's header lines for the page that asks
  std::stop_source stop_;
  Share request_share_{hub_.budget}, reply_share_{hub_.budget};
  std::string reply_head_, reply_body_;
  // While a worker has the request, the parser and these are its own.
  std::optional<Reply> reply_;  // nothing: there was no memory for one
  HandlerMemory handled_memory_;
};

}  // namespace bloomery::http
