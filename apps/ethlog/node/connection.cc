#include "apps/ethlog/node/connection.h"

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <charconv>

#include "apps/ethlog/node/line.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

namespace beast_http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using namespace node_line;

constexpr std::uint32_t kMostHead = 64 << 10;
constexpr Milliseconds kLongestRetryAfter{120'000};

std::uint64_t seconds_now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

template <class Fields>
void set_headers(const NodeSetup& setup, Fields& fields) {
  const NodeOptions& options = setup.options;
  fields.set(beast_http::field::user_agent, "bloomery");
  if (!options.address.credentials.empty())
    fields.set(beast_http::field::authorization,
               "Basic " + base64(std::as_bytes(std::span{options.address.credentials})));
  if (!options.jwt_secret.empty())
    fields.set(beast_http::field::authorization,
               "Bearer " + jwt_token(options.jwt_secret, seconds_now()));
  for (const NodeHeader& header : options.headers) fields.set(header.name, header.value);
}

std::optional<Milliseconds> retry_after(std::string_view text) {
  std::uint64_t seconds = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return seconds > 120 ? kLongestRetryAfter : Milliseconds{seconds * 1000};
}

template <class Stream>
class HttpConnection final : public NodeConnection {
 public:
  explicit HttpConnection(const NodeSetup& setup) : setup_{setup} {}

  NodeResult<NodeReply> exchange(const std::string& message, const std::stop_token& stop) override {
    const bool reused = line_ != nullptr;
    bool unanswered = false;
    auto reply = try_once(message, stop, unanswered);
    if (!reply) line_.reset();
    // A server may close an idle connection at any time.
    if (!reply && reused && unanswered) {
      reply = try_once(message, stop, unanswered);
      if (!reply) line_.reset();
    }
    return reply;
  }
  NodeResult<std::optional<std::string>> receive(Milliseconds, const std::stop_token&) override {
    return NodeFailure{NodeTrouble::kNoMethod, "HTTP carries no notifications"};
  }

 private:
  NodeResult<NodeReply> try_once(const std::string& body, const std::stop_token& stop,
                                 bool& unanswered) {
    if (line_ == nullptr) {
      auto line = std::make_unique<NodeLine<Stream>>(setup_);
      if (const NodeStatus connected = line->connect(stop); !connected) return connected.failure();
      line_ = std::move(line);
    }
    const NodeOptions& options = setup_.options;
    beast_http::request<beast_http::string_body> request{beast_http::verb::post,
                                                         options.address.target, 11};
    request.set(beast_http::field::host, options.address.authority());
    request.set(beast_http::field::content_type, "application/json");
    request.set(beast_http::field::accept, "application/json");
    set_headers(setup_, request);
    request.body() = body;
    request.prepare_payload();
    const auto written = line_->run(
        "sending a request", options.answer_time, stop,
        [&](auto handler) { beast_http::async_write(line_->stream(), request, handler); });
    if (!written) return written.failure();
    unanswered = written->failed();
    if (*written) return line_->failure("the connection broke: " + written->message());
    return read(stop, unanswered);
  }

  NodeResult<NodeReply> read(const std::stop_token& stop, bool& unanswered) {
    const NodeOptions& options = setup_.options;
    beast::flat_buffer buffer;
    beast_http::response_parser<beast_http::string_body> parser;
    parser.body_limit(options.answer_bytes);
    parser.header_limit(kMostHead);
    // The head first: Boost 1.74 does not hold the length that it names against the limit.
    const auto deadline = Clock::now() + options.answer_time;
    auto done = line_->run("its answer", options.answer_time, stop, [&](auto handler) {
      beast_http::async_read_header(line_->stream(), buffer, parser, handler);
    });
    if (!done) return done.failure();
    const auto length = *done ? boost::optional<std::uint64_t>{} : parser.content_length();
    bool too_long = length && *length > options.answer_bytes;
    if (!*done && !too_long) {
      const auto left = std::chrono::duration_cast<Milliseconds>(deadline - Clock::now());
      done = line_->run("its answer", left, stop, [&](auto handler) {
        beast_http::async_read(line_->stream(), buffer, parser, handler);
      });
      if (!done) return done.failure();
    }
    unanswered = done->failed() && !parser.got_some();
    too_long = too_long || *done == beast_http::error::body_limit;
    if (too_long)
      return line_->failure(
          message("its answer is longer than the limit of ", options.answer_bytes, " bytes"),
          NodeTrouble::kTooLarge);
    if (*done == beast_http::error::partial_message)
      return line_->failure("its answer was cut short");
    if (*done) return line_->failure("no answer of HTTP came: " + done->message());
    auto response = parser.release();
    NodeReply reply{.status = response.result_int(), .retry_after = {}, .body = {}};
    const auto after = response[beast_http::field::retry_after];
    reply.retry_after = retry_after({after.data(), after.size()});
    const auto encoding = response[beast_http::field::content_encoding];
    if (!encoding.empty() && encoding != "identity")
      return line_->failure("its answer is compressed, which was not asked for",
                            NodeTrouble::kRefused);
    reply.body = std::move(response.body());
    if (!response.keep_alive()) line_.reset();
    return reply;
  }

  const NodeSetup& setup_;
  std::unique_ptr<NodeLine<Stream>> line_;  // null: not connected
};

template <class Stream>
class SocketConnection final : public NodeConnection {
 public:
  explicit SocketConnection(const NodeSetup& setup) : setup_{setup} {}

  NodeResult<NodeReply> exchange(const std::string& message, const std::stop_token& stop) override {
    const NodeOptions& options = setup_.options;
    if (link_ == nullptr)
      if (const NodeStatus connected = connect(stop); !connected) {
        link_.reset();
        return connected.failure();
      }
    const auto written = link_->line.run(
        "sending a request", options.answer_time, stop,
        [&](auto handler) { link_->socket.async_write(asio::buffer(message), handler); });
    if (!written || *written) {
      const NodeFailure why =
          written ? link_->line.failure("the connection broke: " + written->message())
                  : written.failure();
      link_.reset();
      return why;
    }
    auto reply = receive(options.answer_time, stop);
    if (reply && *reply) return NodeReply{.status = 200, .retry_after = {}, .body = **reply};
    const NodeFailure why =
        reply ? link_->line.failure("its answer took too long") : reply.failure();
    link_.reset();
    return why;
  }

  NodeResult<std::optional<std::string>> receive(Milliseconds wait,
                                                 const std::stop_token& stop) override {
    if (link_ == nullptr) return NodeFailure{NodeTrouble::kPassing, "the connection is closed"};
    if (!link_->reading) {
      link_->reading = std::make_shared<std::optional<error_code>>();
      link_->socket.async_read(
          link_->buffer,
          [outcome = link_->reading](const error_code& code, std::size_t) { *outcome = code; });
    }
    if (!link_->line.wait(link_->reading, Clock::now() + wait, stop)) {
      if (stop.stop_requested()) return stopped_failure();
      return std::optional<std::string>{};
    }
    const error_code code = **link_->reading;
    link_->reading.reset();
    if (!code) {
      std::string text = beast::buffers_to_string(link_->buffer.data());
      link_->buffer.clear();
      return std::optional{std::move(text)};
    }
    const bool too_large = code == websocket::error::message_too_big;
    const NodeFailure why =
        link_->line.failure(too_large ? message("its answer is longer than the limit of ",
                                                setup_.options.answer_bytes, " bytes")
                                      : "the connection broke: " + code.message(),
                            too_large ? NodeTrouble::kTooLarge : NodeTrouble::kPassing);
    link_.reset();
    return why;
  }

 private:
  struct Link {
    explicit Link(const NodeSetup& setup) : line{setup}, socket{line.stream()} {}
    ~Link() {
      if (reading) line.close(reading);  // its handler uses the buffer
    }
    NodeLine<Stream> line;
    websocket::stream<Stream&> socket;
    beast::flat_buffer buffer;
    typename NodeLine<Stream>::Outcome reading;  // null: no read is under way
  };

  NodeStatus connect(const std::stop_token& stop) {
    const NodeOptions& options = setup_.options;
    link_ = std::make_unique<Link>(setup_);
    if (NodeStatus connected = link_->line.connect(stop); !connected) return connected;
    auto& socket = link_->socket;
    socket.read_message_max(options.answer_bytes);
    socket.set_option(websocket::stream_base::timeout{.handshake_timeout = options.connect_time,
                                                      .idle_timeout = options.answer_time,
                                                      .keep_alive_pings = true});
    socket.set_option(websocket::stream_base::decorator(
        [this](websocket::request_type& request) { set_headers(setup_, request); }));
    socket.text(true);
    websocket::response_type response;
    const auto shaken = link_->line.run(
        "the handshake of WebSocket", options.connect_time, stop, [&](auto handler) {
          socket.async_handshake(response, options.address.authority(), options.address.target,
                                 handler);
        });
    if (!shaken) return shaken.failure();
    if (*shaken == websocket::error::upgrade_declined) {
      NodeFailure why = failure_of_status(response.result_int());
      if (response.result_int() == 200)
        why = {NodeTrouble::kRefused, "it does not serve WebSocket"};
      const auto after = response[beast_http::field::retry_after];
      why.wait = retry_after({after.data(), after.size()});
      return why;
    }
    if (*shaken)
      return link_->line.failure("the handshake of WebSocket failed: " + shaken->message());
    return std::monostate{};
  }

  const NodeSetup& setup_;
  std::unique_ptr<Link> link_;  // null: not connected
};

class BeastConnector final : public NodeConnector {
 public:
  explicit BeastConnector(const NodeOptions& options)
      : setup_{.options = options, .secrets = NodeSecrets{options}} {}
  Status prepare() {
    if (!setup_.options.address.secure) return ok();
    auto& tls = setup_.tls;
    error_code code;
    tls.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                        asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                        asio::ssl::context::no_tlsv1_1,
                    code);
    tls.set_verify_mode(asio::ssl::verify_peer, code);
    if (setup_.options.ca_file.empty())
      tls.set_default_verify_paths(code);
    else
      tls.load_verify_file(setup_.options.ca_file.string(), code);
    if (!code) return ok();
    const std::string name =
        setup_.options.ca_file.empty() ? "the system" : setup_.options.ca_file.string();
    return Error{ErrorCode::kInvalidArgument,
                 message(name, ": the certificates of its authorities cannot be read: ",
                         code.message(), "; a file of them is PEM")};
  }
  std::unique_ptr<NodeConnection> connection() const override {
    const NodeAddress& address = setup_.options.address;
    if (address.web_socket && address.secure)
      return std::make_unique<SocketConnection<Encrypted>>(setup_);
    if (address.web_socket) return std::make_unique<SocketConnection<Plain>>(setup_);
    if (address.secure) return std::make_unique<HttpConnection<Encrypted>>(setup_);
    return std::make_unique<HttpConnection<Plain>>(setup_);
  }

 private:
  NodeSetup setup_;
};

}  // namespace

Result<std::unique_ptr<NodeConnector>> NodeConnector::make(const NodeOptions& options) {
  auto connector = std::make_unique<BeastConnector>(options);
  if (const Status prepared = connector->prepare(); !prepared) return prepared.error();
  return std::unique_ptr<NodeConnector>{std::move(connector)};
}

}  // namespace bloomery::ethlog
