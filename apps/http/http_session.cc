// One HTTP connection: reads a request, lets a worker answer it, writes the reply, and again.
#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include "apps/http/answer.h"
#include "apps/http/broken_request.h"
#include "apps/http/reply_head.h"
#include "apps/http/request_check.h"
#include "apps/http/session.h"

namespace bloomery::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Body = Message::body_type;

// A refused client that still sends would lose the reply if the socket were closed at once.
constexpr std::chrono::milliseconds kLinger{1'000};
constexpr std::size_t kStepBytes = 4 << 10;
// Beast reads at most this much at once.
constexpr std::size_t kBufferBytes = 64 << 10;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }
std::string_view view(const beast::flat_buffer& buffer) {
  return {static_cast<const char*>(buffer.data().data()), buffer.size()};
}

class HttpSession final : public Session {
 public:
  HttpSession(Hub& hub, tcp::socket&& socket, const ClientKey& client)
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
  void filled(const error_code& code);
  void proceed();
  void begin_request();
  bool failed(const error_code& code);
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
  void written(const error_code& code);
  void linger();

  const Limits& limits() const { return hub_.options.limits; }
  std::string_view header(wire::field field) { return view(parser_->get()[field]); }

  tcp::socket socket_;
  asio::steady_timer timer_{hub_.io};
  beast::flat_buffer buffer_{std::max(limits().header_bytes, kBufferBytes)};
  std::optional<wire::request_parser<Body>> parser_;
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

void HttpSession::close() noexcept {
  if (stage_ == Stage::kClosed) return;
  if (stage_ == Stage::kReading)
    broke("the connection ended before the request was whole", parser_->is_header_done());
  enter(Stage::kClosed);
  stop_.request_stop();
  timer_.cancel();
  error_code ignored;
  socket_.close(ignored);
}

std::optional<Clock::time_point> HttpSession::waiting_since() const {
  if (is_turned_away_) return std::nullopt;
  const bool waits =
      stage_ == Stage::kIdle || stage_ == Stage::kReading || stage_ == Stage::kLingering;
  return waits ? std::optional{since_} : std::nullopt;
}

void HttpSession::wait(std::chrono::milliseconds time) {
  timed_out_ = false;
  timer_.expires_after(time);
  timer_.async_wait(handler([](HttpSession& me, const error_code& cancelled) {
    if (!cancelled && me.timer_.expiry() <= Clock::now()) me.on_timeout();
  }));
}

void HttpSession::on_timeout() {
  if (stage_ == Stage::kHandling) return;  // the request arrived at the last moment
  if (stage_ != Stage::kReading) return close();
  // Between two reads of one operation there is nothing to cancel: so until it took effect.
  wait(std::chrono::milliseconds{5});
  timed_out_ = true;
  error_code ignored;
  socket_.cancel(ignored);
}

void HttpSession::turn_away(Crowd crowd) {
  is_turned_away_ = true;
  ++hub_.turned_away;
  broke("there were too many connections, and this one was turned away unread", false);
  write(crowd == Crowd::kOfAll
            ? sentence(503, "The server has as many connections as it can: try again later.")
            : sentence(429,
                       "This client has as many connections as one may: close some, or try again "
                       "later."));
}

void HttpSession::next_request() {
  enter(Stage::kIdle);
  parser_.reset();
  cors_.clear();
  if (buffer_.size() == 0 && !filling_) buffer_.shrink_to_fit();
  wait(limits().idle_time);
  proceed();
}

// A read under way also tells that the client is gone, so it goes on while a request is handled.
// Not where pipelined requests fill the buffer: they are taken first, and the next one goes on.
void HttpSession::fill() {
  if (filling_ || buffer_.size() + kStepBytes > kBufferBytes) return;
  filling_ = true;
  socket_.async_read_some(buffer_.prepare(kStepBytes),
                          handler([](HttpSession& me, const error_code& code, std::size_t bytes) {
                            me.filling_ = false;
                            me.buffer_.commit(bytes);
                            me.filled(code);
                          }));
}

void HttpSession::filled(const error_code& code) {
  if (code && code != asio::error::operation_aborted) {
    peer_ended_ = true;
    stop_.request_stop();
  }
  switch (stage_) {
    case Stage::kIdle:
      return proceed();
    case Stage::kHandling:
    case Stage::kWriting:
      if (!peer_ended_) fill();
      return;
    case Stage::kLingering:
      buffer_.clear();
      return peer_ended_ ? close() : fill();
    case Stage::kReading:
    case Stage::kClosed:
      return;
  }
}

void HttpSession::proceed() {
  if (filling_) {  // the buffer belongs to that read
    error_code ignored;
    if (buffer_.size() != 0) socket_.cancel(ignored);  // filled() is called, and comes back here
    return;
  }
  // RFC 9112, 2.2: empty lines before a request are to be overlooked.
  while (buffer_.size() > 0 && (view(buffer_)[0] == '\r' || view(buffer_)[0] == '\n'))
    buffer_.consume(1);
  if (buffer_.size() != 0) return begin_request();
  peer_ended_ ? close() : fill();
}

void HttpSession::begin_request() {
  enter(Stage::kReading);
  stop_ = {};
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(limits().header_bytes));
  parser_->body_limit(limits().body_bytes);
  parser_->get().body().max_size(limits().body_bytes);
  keep_alive_ = false;
  head_only_ = false;
  wait(limits().request_time);
  wire::async_read_header(socket_, buffer_, *parser_,
                          handler([](HttpSession& me, const error_code& code, std::size_t) {
                            if (!me.failed(code)) me.on_header();
                          }));
}

// True if the request came to nothing; then the client was told, if it can be.
bool HttpSession::failed(const error_code& code) {
  if (stage_ == Stage::kClosed) return true;
  if (!timed_out_ && !code) return false;
  const bool is_head_whole = parser_->is_header_done() || code == wire::error::body_limit;
  if (timed_out_)
    refuse_broken(sentence(408, "The request did not arrive in time."), is_head_whole);
  else if (code == wire::error::body_limit)
    refuse_broken(sentence(413, "The request's body is too large: at most " +
                                    std::to_string(limits().body_bytes) + " bytes are read."),
                  is_head_whole);
  else if (code == wire::error::header_limit || code == wire::error::buffer_overflow)
    refuse_broken(sentence(431, "The request's header is too large: at most " +
                                    std::to_string(limits().header_bytes) + " bytes are read."),
                  is_head_whole);
  else if (code != wire::error::end_of_stream &&
           code.category() == wire::make_error_code(wire::error::bad_method).category())
    write_broken(sentence(400, "This is no HTTP/1.1 request: " + code.message() + "."),
                 is_head_whole);
  else
    close();
  return true;
}

// Before the stage changes: a request is told of once.
void HttpSession::broke(std::string_view reason, bool is_head_whole) noexcept {
  if (hub_.stopping) return;
  tell_broken(hub_.options, hub_.access, client(), parser_ ? &parser_->get() : nullptr,
              view(buffer_), is_head_whole, reason);
}

void HttpSession::write_broken(Reply reply, bool is_head_whole) {
  broke(reason_of(reply), is_head_whole);
  write(std::move(reply));
}

void HttpSession::refuse_broken(Reply reply, bool is_head_whole) {
  ++hub_.refused;
  keep_alive_ = false;
  write_broken(std::move(reply), is_head_whole);
}

void HttpSession::refuse(unsigned status, std::string text) {
  ++hub_.refused;
  keep_alive_ = false;
  write(sentence(status, std::move(text)));
}

void HttpSession::on_header() {
  const Message& request = parser_->get();
  head_only_ = request.method() == wire::verb::head;
  if (auto refusal = request_refusal(request)) return write_broken(std::move(*refusal), true);
  if (refused_by_access()) return;
  if (request.method() == wire::verb::options && !header(wire::field::origin).empty() &&
      !header(wire::field::access_control_request_method).empty())
    return answer_preflight();
  if (beast::websocket::is_upgrade(request) && hub_.options.web_socket.received) return upgrade();
  if (beast::iequals(request[wire::field::expect], "100-continue") && buffer_.size() == 0)
    return say_continue();
  read_body();
}

bool HttpSession::refused_by_access() {
  const Message& request = parser_->get();
  const std::string_view host = header(wire::field::host);
  if (request.count(wire::field::host) != 0)
    if (auto why = hub_.access.host_refusal(host); !why.empty())
      return refuse(403, std::move(why)), true;
  if (request.count(wire::field::origin) == 0) return false;
  const std::string_view origin = header(wire::field::origin);
  if (auto why = hub_.access.origin_refusal(origin, host); !why.empty())
    return refuse(403, std::move(why)), true;
  cors_ = header_line("Access-Control-Allow-Origin", hub_.access.allowed_origin(origin)) +
          header_line("Vary", "Origin");
  return false;
}

void HttpSession::answer_preflight() {
  cors_ += header_line("Access-Control-Allow-Methods", "GET, HEAD, POST");
  if (const auto names = header(wire::field::access_control_request_headers); !names.empty())
    cors_ += header_line("Access-Control-Allow-Headers", names);
  if (view(parser_->get()["Access-Control-Request-Private-Network"]) == "true")
    cors_ += header_line("Access-Control-Allow-Private-Network", "true");
  cors_ += header_line("Access-Control-Max-Age", "600");
  keep_alive_ = parser_->is_done() && parser_->keep_alive();
  write({.status = 204});
}

void HttpSession::upgrade() {
  if (buffer_.size() != 0)
    return write(sentence(400, "A WebSocket's client waits until it is accepted."));
  const Upgrade wanted{std::string{view(parser_->get().target())},
                       std::string{header(wire::field::host)},
                       std::string{header(wire::field::sec_websocket_key)},
                       std::string{header(wire::field::sec_websocket_version)}};
  start_web_socket_session(hub_, std::move(socket_), client(), wanted);
  enter(Stage::kHandling);  // by that session: this one has lost nothing
  close();
}

void HttpSession::say_continue() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                    handler([](HttpSession& me, const error_code& code, std::size_t) {
                      if (!me.failed(code)) me.read_body();
                    }));
}

void HttpSession::read_body() {
  const std::size_t bytes = parser_->get().body().size();
  if (!request_share_.resize(bytes))
    return refuse_broken(
        sentence(503, "The server holds as many requests as it can: try again later."), true);
  if (parser_->is_done()) return dispatch();
  wire::async_read_some(socket_, buffer_, *parser_,
                        handler([](HttpSession& me, const error_code& code, std::size_t) {
                          if (!me.failed(code)) me.read_body();
                        }));
}

void HttpSession::dispatch() {
  enter(Stage::kHandling);
  timer_.cancel();
  keep_alive_ = parser_->keep_alive();
  if (peer_ended_) stop_.request_stop();
  fill();
  // What has no body asks how the server is, or for a page: it is not to wait for those that
  // search.
  const bool is_short = parser_->get().body().size() == 0;
  hub_.workers.add(is_short ? Workers::Length::kShort : Workers::Length::kLong, self());
}

void HttpSession::work(std::shared_ptr<Job> job) noexcept {
  auto me = std::static_pointer_cast<HttpSession>(std::move(job));
  try {
    reply_.emplace();
    if (!hub_.stopping) reply_ = answer(hub_.options, parser_->get(), client(), stop_.get_token());
    trim(reply_->body);
  } catch (...) {
    reply_.reset();
  }
  // The session ends on the I/O thread: nothing of it stays here.
  post_without_allocating(hub_.io, handled_memory_,
                          handler_of(std::move(me), [](HttpSession& it) { it.handled(); }));
}

void HttpSession::handled() {
  parser_.reset();
  request_share_.resize(0);
  if (!reply_) return close();
  ++hub_.requests;
  Reply reply = std::move(*reply_);
  reply_.reset();
  write(std::move(reply));
}

void HttpSession::write(Reply reply) {
  if (stage_ == Stage::kClosed) return;
  enter(Stage::kWriting);
  if (!reply_share_.resize(reply.body.size())) {
    ++hub_.refused;
    reply = sentence(503, "The server holds as many replies as it can: try again later.");
  }
  reply_body_ = std::move(reply.body);
  reply_head_ = reply_head(reply, reply_body_.size(), keep_alive_, cors_);
  wait(send_time(limits(), reply_body_.size()));
  const bool body_is_sent = !head_only_ && reply.status != 204 && reply.status != 304;
  const std::array<asio::const_buffer, 2> parts{
      asio::buffer(reply_head_),
      asio::buffer(reply_body_.data(), body_is_sent ? reply_body_.size() : 0)};
  asio::async_write(
      socket_, parts,
      handler([](HttpSession& me, const error_code& code, std::size_t) { me.written(code); }));
}

void HttpSession::written(const error_code& code) {
  if (stage_ == Stage::kClosed) return;
  reply_body_ = {};
  reply_share_.resize(0);
  if (code) return close();
  keep_alive_ ? next_request() : linger();
}

void HttpSession::linger() {
  enter(Stage::kLingering);
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  parser_.reset();
  request_share_.resize(0);
  buffer_.clear();
  wait(std::min(kLinger, limits().request_time));
  peer_ended_ ? close() : fill();
}

}  // namespace

void start_http_session(Hub& hub, tcp::socket&& socket, const ClientKey& client) {
  std::make_shared<HttpSession>(hub, std::move(socket), client)->next_request();
}

void turn_away(Hub& hub, tcp::socket&& socket, const ClientKey& client, Crowd crowd) {
  std::make_shared<HttpSession>(hub, std::move(socket), client)->turn_away(crowd);
}

}  // namespace bloomery::http
