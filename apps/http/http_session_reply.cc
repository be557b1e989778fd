// What becomes of a request: refused, upgraded, or handled by a worker, and its reply.
#include <array>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include "apps/http/broken_request.h"
#include "apps/http/http_session.h"
#include "apps/http/reply_head.h"
#include "apps/http/request_check.h"

namespace bloomery::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// A refused client that still sends would lose the reply if the socket were closed at once.
constexpr std::chrono::milliseconds kLinger{1'000};

}  // namespace

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
  if (view_of(parser_->get()["Access-Control-Request-Private-Network"]) == "true")
    cors_ += header_line("Access-Control-Allow-Private-Network", "true");
  cors_ += header_line("Access-Control-Max-Age", "600");
  keep_alive_ = parser_->is_done() && parser_->keep_alive();
  write({.status = 204});
}

void HttpSession::upgrade() {
  if (buffer_.size() != 0)
    return write(sentence(400, "a WebSocket client must wait until it is accepted"));
  const std::string_view path = parts_of(view_of(parser_->get().target())).path;
  if (hub_.options.web_socket.accepts && !hub_.options.web_socket.accepts(path))
    return refuse(404, "there is nothing at this path for a WebSocket");
  const Upgrade wanted{std::string{view_of(parser_->get().target())},
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
        sentence(503, "the server holds as many requests as it can; try again later"), true);
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
    reply = sentence(503, "the server holds as many replies as it can; try again later");
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

}  // namespace bloomery::http
