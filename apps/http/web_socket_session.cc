#include "apps/http/web_socket_session.h"

#include <algorithm>

#include "apps/http/answer.h"

namespace bloomery::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kCloseTime{1'000};

}  // namespace

void WebSocketSession::accept(const Upgrade& upgrade) {
  outbox_ =
      std::make_shared<Outbox>(hub_, self(), client(), std::string{parts_of(upgrade.target).path});
  request_ = {wire::verb::get, upgrade.target, 11};
  request_.set(wire::field::host, upgrade.host);
  request_.set(wire::field::upgrade, "websocket");
  request_.set(wire::field::connection, "upgrade");
  request_.set(wire::field::sec_websocket_key, upgrade.key);
  request_.set(wire::field::sec_websocket_version, upgrade.version);
  // Its own idle time counts only while something is read; ours see check_time().
  stream_.set_option(websocket::stream_base::timeout{limits().request_time,
                                                     websocket::stream_base::none(), false});
  stream_.read_message_max(limits().body_bytes);
  stream_.auto_fragment(false);
  stream_.text(true);
  // The stream holds what is called back, so that must not hold the stream.
  stream_.control_callback([this](websocket::frame_type kind, beast::string_view) {
    heard_ = Clock::now();
    if (kind == websocket::frame_type::close) hear_goodbye();
  });
  tick();
  stream_.async_accept(request_, handler([](WebSocketSession& me, const error_code& code) {
                         code ? me.close() : me.accepted();
                       }));
}

void WebSocketSession::accepted() {
  if (!is_open_) return;
  told_opened_ = true;
  if (hub_.options.web_socket.opened) begin_event(Event::kOpened);
  read();
}

void WebSocketSession::tick() {
  const auto shortest = std::min({limits().idle_time, limits().request_time, limits().send_time});
  timer_.expires_after(
      std::clamp(shortest / 8, std::chrono::milliseconds{2}, std::chrono::milliseconds{1'000}));
  timer_.async_wait(handler([](WebSocketSession& me, const error_code& cancelled) {
    if (!cancelled && me.is_open_) me.check_time();
  }));
}

void WebSocketSession::check_time() {
  const auto now = Clock::now();
  const auto is_over = [&](const auto& deadline) { return deadline && now > *deadline; };
  if (is_over(message_deadline_) || is_over(write_deadline_)) {
    ++hub_.refused;
    return close();
  }
  if (is_over(close_deadline_)) return close();
  // While nothing is read a pong cannot be heard.
  if (!reading_) heard_ = now;
  if (now - heard_ > limits().idle_time) return close();
  if (now - heard_ > limits().idle_time / 2) ping();
  tick();
}

void WebSocketSession::ping() {
  if (is_pinging_ || close_deadline_) return;
  is_pinging_ = true;
  stream_.async_ping(
      {}, handler([](WebSocketSession& me, const error_code&) { me.is_pinging_ = false; }));
}

void WebSocketSession::read() {
  if (!is_open_ || reading_ || message_waits_) return;
  reading_ = true;
  stream_.async_read_some(buffer_, 0,
                          handler([](WebSocketSession& me, const error_code& code, std::size_t) {
                            me.reading_ = false;
                            me.read_some(code);
                          }));
}

void WebSocketSession::read_some(const error_code& code) {
  if (!is_open_) return;
  if (code == websocket::error::message_too_big) ++hub_.refused;
  if (code) return close();
  heard_ = Clock::now();
  if (!share_.resize(handling_bytes_ + buffer_.size())) {
    ++hub_.refused;
    return say_goodbye(websocket::close_code::try_again_later);
  }
  if (!stream_.is_message_done()) {
    if (!message_deadline_) message_deadline_ = heard_ + limits().request_time;
    return read();
  }
  message_deadline_.reset();
  message_waits_ = true;
  dispatch();
}

// One at a time; and a peer that does not take its replies gets no new ones.
void WebSocketSession::dispatch() {
  if (!is_open_ || is_handling_ || !message_waits_ || outbox_->is_behind()) return;
  message_waits_ = false;
  handling_bytes_ = buffer_.size();
  ++hub_.requests;
  message_ = std::move(buffer_);
  buffer_ = beast::flat_buffer{limits().body_bytes + (4 << 10)};
  begin_event(Event::kReceived);
  read();
}

void WebSocketSession::begin_event(Event event) noexcept {
  event_ = event;
  is_handling_ = true;
  const bool is_long = event == Event::kReceived;
  hub_.workers.add(is_long ? Workers::Length::kLong : Workers::Length::kShort, self());
}

void WebSocketSession::run_event() {
  const WebSocketEvents& events = hub_.options.web_socket;
  if (event_ == Event::kClosed) return events.closed(outbox_);
  if (hub_.stopping) return;
  if (event_ == Event::kOpened) return events.opened(outbox_);
  const std::string_view text{static_cast<const char*>(message_.data().data()), message_.size()};
  std::string reply = events.received(outbox_, text, stop_.get_token());
  trim(reply);
  if (!reply.empty()) outbox_->send(std::move(reply));
}

void WebSocketSession::work(std::shared_ptr<Job> job) noexcept {
  auto me = std::static_pointer_cast<WebSocketSession>(std::move(job));
  try {
    run_event();
  } catch (...) {
    outbox_->close();
  }
  // The session ends on the I/O thread: nothing of it stays here.
  post_without_allocating(hub_.io, handled_memory_,
                          handler_of(std::move(me), [](WebSocketSession& it) { it.handled(); }));
}

void WebSocketSession::handled() {
  is_handling_ = false;
  handling_bytes_ = 0;
  message_ = {};
  if (!is_open_) return end_of_events();
  share_.resize(buffer_.size());
  dispatch();
}

void WebSocketSession::end_of_events() noexcept {
  if (is_handling_ || !told_opened_ || told_closed_) return;
  told_closed_ = true;
  if (hub_.options.web_socket.closed) begin_event(Event::kClosed);
}

void WebSocketSession::pump() {
  if (!is_open_ || is_writing_) return;
  auto message = outbox_->next();
  if (!message) return close_politely();
  is_writing_ = true;
  writing_ = std::move(*message);
  write_deadline_ = Clock::now() + send_time(limits(), writing_.size());
  stream_.async_write(
      asio::buffer(writing_),
      handler([](WebSocketSession& me, const error_code& code, std::size_t) { me.written(code); }));
}

void WebSocketSession::written(const error_code& code) {
  is_writing_ = false;
  write_deadline_.reset();
  outbox_->sent(writing_.size());
  writing_ = {};
  if (code) return close();
  pump();
  dispatch();
}

void WebSocketSession::say_goodbye(websocket::close_code code) {
  if (!is_open_ || close_deadline_) return;
  close_deadline_ = Clock::now() + limits().send_time;
  goodbye_ = code;
  pump();
}

void WebSocketSession::close_politely() {
  if (!goodbye_) return;
  const websocket::close_code code = *goodbye_;
  goodbye_.reset();
  stream_.async_close(code, handler([](WebSocketSession& me, const error_code&) { me.close(); }));
}

// The stream answers it, then waits for the peer to hang up; not for long.
void WebSocketSession::hear_goodbye() {
  outbox_->end();
  close_deadline_ = Clock::now() + std::min(kCloseTime, limits().send_time);
}

void WebSocketSession::close() noexcept {
  if (!is_open_) return;
  is_open_ = false;
  stop_.request_stop();
  if (outbox_) outbox_->end();
  timer_.cancel();
  error_code ignored;
  stream_.next_layer().close(ignored);
  end_of_events();
}

void start_web_socket_session(Hub& hub, tcp::socket&& socket, const ClientKey& client,
                              const Upgrade& upgrade) {
  std::make_shared<WebSocketSession>(hub, std::move(socket), client)->accept(upgrade);
}

}  // namespace bloomery::http
