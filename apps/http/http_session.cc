// The connection and its requests: when it waits, reads, times out and closes.
#include "apps/http/http_session.h"

#include <boost/beast/http/read.hpp>

#include "apps/http/broken_request.h"

namespace bloomery::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kStepBytes = 4 << 10;

std::string_view view(const beast::flat_buffer& buffer) {
  return {static_cast<const char*>(buffer.data().data()), buffer.size()};
}

}  // namespace

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
            ? sentence(503, "the server has as many connections as it can; try again later")
            : sentence(429,
                       "this client has as many connections as one may; close some, or try again "
                       "later"));
}

void HttpSession::next_request() {
  enter(Stage::kIdle);
  parser_.reset();
  cors_.clear();
  if (buffer_.size() == 0 && !filling_) buffer_.shrink_to_fit();
  wait(limits().idle_time);
  proceed();
}

// A read under way also notices that the client is gone, so it goes on while a request is handled.
// Not where pipelined requests fill the buffer: they are taken first, and the next one goes on. Not
// behind the end: the system announces it once, and a second read would wait for ever.
void HttpSession::fill() {
  if (filling_ || peer_ended_ || buffer_.size() + kStepBytes > kHttpBufferBytes) return;
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
      return fill();
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
  error_code ignored;
  // Announces the end once more, for a request that breaks off there.
  if (peer_ended_) socket_.shutdown(tcp::socket::shutdown_receive, ignored);
  wire::async_read_header(socket_, buffer_, *parser_,
                          handler([](HttpSession& me, const error_code& code, std::size_t) {
                            if (!me.failed(code)) me.on_header();
                          }));
}

// True if the request came to nothing; then the client got a reply, if it can get one.
bool HttpSession::failed(const error_code& code) {
  if (stage_ == Stage::kClosed) return true;
  if (!timed_out_ && !code) return false;
  const bool is_head_whole = parser_->is_header_done() || code == wire::error::body_limit;
  if (timed_out_)
    refuse_broken(sentence(408, "the request did not arrive in time"), is_head_whole);
  else if (code == wire::error::body_limit)
    refuse_broken(sentence(413, "the request's body is too large: at most " +
                                    std::to_string(limits().body_bytes) + " bytes are read"),
                  is_head_whole);
  else if (code == wire::error::header_limit || code == wire::error::buffer_overflow)
    refuse_broken(sentence(431, "the request's header is too large: at most " +
                                    std::to_string(limits().header_bytes) + " bytes are read"),
                  is_head_whole);
  else if (code != wire::error::end_of_stream &&
           code.category() == wire::make_error_code(wire::error::bad_method).category())
    write_broken(sentence(400, "not an HTTP/1.1 request: " + code.message()), is_head_whole);
  else
    close();
  return true;
}

// Before the stage changes, so that a request is reported once.
void HttpSession::broke(std::string_view reason, bool is_head_whole) noexcept {
  if (hub_.stopping) return;
  report_broken(hub_.options, hub_.access, client(), parser_ ? &parser_->get() : nullptr,
                view(buffer_), is_head_whole, reason);
}

void start_http_session(Hub& hub, tcp::socket&& socket, const ClientKey& client) {
  std::make_shared<HttpSession>(hub, std::move(socket), client)->next_request();
}

void turn_away(Hub& hub, tcp::socket&& socket, const ClientKey& client, Crowd crowd) {
  std::make_shared<HttpSession>(hub, std::move(socket), client)->turn_away(crowd);
}

}  // namespace bloomery::http
