// One WebSocket: messages go to a worker one after the other, what is sent waits in an outbox.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <mutex>

#include "apps/http/session.h"

namespace bloomery::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kLinger{1'000};

class WebSocketSession;

// What the program holds of a WebSocket, also after that ended. Any thread.
class Outbox final : public Peer, public std::enable_shared_from_this<Outbox> {
 public:
  Outbox(Hub& hub, std::weak_ptr<WebSocketSession> session, const ClientKey& client)
      : client_{text_of(client)},
        hub_{&hub},
        session_{std::move(session)},
        share_{std::in_place, hub.budget} {}

  bool send(std::string message) override;
  void close() override;
  std::string_view client() const override { return client_; }

  // The rest is the session's, on the I/O thread.
  std::optional<std::string> next();
  void sent(std::size_t bytes);
  bool is_behind();
  void end();

 private:
  enum Signal : unsigned { kPump = 1, kGoodbye = 2, kClose = 4 };
  void tell(Signal signal);  // Precondition: mutex_ is held, hub_ is there.
  void told();

  const std::string client_;
  std::mutex mutex_;
  unsigned signals_ = 0;  // not told yet
  bool is_telling_ = false;
  HandlerMemory told_memory_;
  Hub* hub_;  // null once the WebSocket ended
  std::weak_ptr<WebSocketSession> session_;
  std::deque<std::string> messages_;
  std::size_t unsent_bytes_ = 0;  // what is being written counts
  std::optional<Share> share_;
};

class WebSocketSession final : public Session {
 public:
  WebSocketSession(Hub& hub, tcp::socket&& socket, const ClientKey& client)
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
  void say_goodbye(websocket::close_code code);
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
  void read_some(const error_code& code);
  void dispatch();
  void begin_event(Event event) noexcept;
  void run_event();
  void handled();
  void end_of_events() noexcept;
  void written(const error_code& code);
  void close_politely();
  void hear_goodbye();

  websocket::stream<tcp::socket, false> stream_;
  asio::steady_timer timer_{hub_.io};
  wire::request<wire::empty_body> request_;
  beast::flat_buffer buffer_{limits().body_bytes + (4 << 10)};
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
  beast::flat_buffer message_;
  HandlerMemory handled_memory_;
  std::optional<websocket::close_code> goodbye_;  // said once everything before it was
  Clock::time_point heard_ = Clock::now();
  std::optional<Clock::time_point> message_deadline_, write_deadline_, close_deadline_;
};

// Takes no memory: a peer that memory runs out for can still be closed.
void Outbox::tell(Signal signal) {
  signals_ |= signal;
  if (std::exchange(is_telling_, true)) return;
  post_without_allocating(hub_->io, told_memory_, [me = shared_from_this()] { me->told(); });
}

void Outbox::told() {
  std::unique_lock lock{mutex_};
  is_telling_ = false;
  const unsigned signals = std::exchange(signals_, 0);
  lock.unlock();
  const auto session = session_.lock();
  if (!session) return;
  try {
    if ((signals & kClose) != 0) return session->close();
    if ((signals & kPump) != 0) session->pump();
    if ((signals & kGoodbye) != 0) session->say_goodbye(websocket::close_code::normal);
  } catch (...) {
    session->close();
  }
}

bool Outbox::send(std::string message) {
  const std::lock_guard lock{mutex_};
  if (hub_ == nullptr) return false;
  const std::size_t bytes = unsent_bytes_ + message.size();
  bool fits = unsent_bytes_ == 0 || bytes <= hub_->options.limits.unsent_bytes;
  fits = fits && share_->resize(bytes);
  try {
    if (fits) messages_.push_back(std::move(message));
  } catch (const std::bad_alloc&) {
    fits = false;
  }
  if (!fits) {
    ++hub_->refused;
    tell(kClose);
    hub_ = nullptr;
    return false;
  }
  unsent_bytes_ = bytes;
  if (messages_.size() == 1) tell(kPump);
  return true;
}

void Outbox::close() {
  const std::lock_guard lock{mutex_};
  if (hub_ == nullptr) return;
  tell(kGoodbye);
  hub_ = nullptr;
}

std::optional<std::string> Outbox::next() {
  const std::lock_guard lock{mutex_};
  if (messages_.empty()) return std::nullopt;
  std::string message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

void Outbox::sent(std::size_t bytes) {
  const std::lock_guard lock{mutex_};
  if (!share_) return;
  unsent_bytes_ -= bytes;
  share_->resize(unsent_bytes_);
}

bool Outbox::is_behind() {
  const std::lock_guard lock{mutex_};
  return hub_ != nullptr && unsent_bytes_ > hub_->options.limits.unsent_bytes / 2;
}

void Outbox::end() {
  const std::lock_guard lock{mutex_};
  hub_ = nullptr;
  messages_.clear();
  share_.reset();
}

void WebSocketSession::accept(const Upgrade& upgrade) {
  outbox_ = std::make_shared<Outbox>(hub_, self(), client());
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
  close_deadline_ = Clock::now() + std::min(kLinger, limits().send_time);
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

}  // namespace

void start_web_socket_session(Hub& hub, tcp::socket&& socket, const ClientKey& client,
                              const Upgrade& upgrade) {
  std::make_shared<WebSocketSession>(hub, std::move(socket), client)->accept(upgrade);
}

}  // namespace bloomery::http
