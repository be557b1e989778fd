// A socket to a node, plain or encrypted, with a loop of its own: an operation is started, and
// waited for until a deadline. Sources only: it names the types of Boost.
#pragma once
#include <openssl/x509v3.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <memory>
#include <stop_token>
#include <type_traits>

#include "apps/ethlog/node/node_failure.h"
#include "apps/ethlog/node/node_options.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog::node_line {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;
using Plain = tcp::socket;
using Encrypted = asio::ssl::stream<tcp::socket>;

inline constexpr Milliseconds kSlice{50};     // between two looks at the stop token
inline constexpr Milliseconds kDrain{2'000};  // for handlers after their socket was closed

// What all connections to one node share. SSL_CTX may be used by many threads.
struct NodeSetup {
  NodeOptions options;
  NodeSecrets secrets;
  mutable asio::ssl::context tls{asio::ssl::context::tls_client};
};

// For one thread.
template <class Stream>
class NodeLine {
 public:
  explicit NodeLine(const NodeSetup& setup) : setup_{setup} {
    if constexpr (std::is_same_v<Stream, Encrypted>)
      stream_.emplace(context_, setup.tls);
    else
      stream_.emplace(context_);
  }
  Stream& stream() { return *stream_; }
  tcp::socket& socket() { return beast::get_lowest_layer(*stream_); }

  // The outcome of what `start` began with the handler it is given.
  using Outcome = std::shared_ptr<std::optional<error_code>>;
  template <class Start>
  NodeResult<error_code> run(std::string_view what, Milliseconds most, const std::stop_token& stop,
                             const Start& start) {
    const auto outcome = std::make_shared<std::optional<error_code>>();
    start([outcome](const error_code& code, const auto&...) { *outcome = code; });
    return finish(what, outcome, Clock::now() + most, stop);
  }
  NodeResult<error_code> finish(std::string_view what, const Outcome& outcome,
                                Clock::time_point deadline, const std::stop_token& stop) {
    if (wait(outcome, deadline, stop)) return **outcome;
    close(outcome);
    if (stop.stop_requested()) return stopped_failure();
    return failure(message(what, " took too long"));
  }
  // Whether it came in time.
  bool wait(const Outcome& outcome, Clock::time_point deadline, const std::stop_token& stop) {
    while (!*outcome) {
      const auto now = Clock::now();
      if (stop.stop_requested() || now >= deadline) return false;
      if (context_.stopped()) context_.restart();
      context_.run_one_for(std::min<Clock::duration>(kSlice, deadline - now));
    }
    return true;
  }
  void close(const Outcome& outcome) {
    error_code ignored;
    resolver_.cancel();
    socket().close(ignored);
    wait(outcome, Clock::now() + kDrain, {});
  }

  NodeFailure failure(const std::string& why, NodeTrouble trouble = NodeTrouble::kPassing) const {
    return {trouble, setup_.secrets.clean(why)};
  }

  NodeStatus connect(const std::stop_token& stop) {
    const NodeAddress& address = setup_.options.address;
    const Milliseconds most = setup_.options.connect_time;
    const auto found = std::make_shared<tcp::resolver::results_type>();
    const auto resolved = run("finding the address of the host", most, stop, [&](auto handler) {
      resolver_.async_resolve(address.host, std::to_string(address.port),
                              [handler, found](const error_code& code, const auto& results) {
                                *found = results;
                                handler(code);
                              });
    });
    if (!resolved) return resolved.failure();
    if (*resolved) return failure("the host cannot be found: " + resolved->message());
    const auto connected = run("connecting", most, stop, [&](auto handler) {
      asio::async_connect(socket(), *found, handler);
    });
    if (!connected) return connected.failure();
    if (*connected) return failure("it cannot be reached: " + connected->message());
    error_code ignored;
    socket().set_option(tcp::no_delay{true}, ignored);
    if constexpr (std::is_same_v<Stream, Encrypted>) return encrypt(stop);
    return std::monostate{};
  }

 private:
  NodeStatus encrypt(const std::stop_token& stop) {
    SSL* const ssl = stream_->native_handle();
    const std::string& host = setup_.options.address.host;
    error_code not_literal;
    asio::ip::make_address(host, not_literal);
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    const bool set = not_literal
                         ? SSL_set1_host(ssl, host.c_str()) == 1 &&
                               SSL_set_tlsext_host_name(ssl, host.c_str()) == 1
                         : X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
    if (!set) return failure("the name of the host cannot be verified", NodeTrouble::kRefused);
    const auto shaken = run(
        "the handshake of TLS", setup_.options.connect_time, stop,
        [&](auto handler) { stream_->async_handshake(asio::ssl::stream_base::client, handler); });
    if (!shaken) return shaken.failure();
    if (!*shaken) return std::monostate{};
    const long verified = SSL_get_verify_result(ssl);
    if (verified != X509_V_OK)
      return failure(
          message("its certificate is not accepted: ", X509_verify_cert_error_string(verified),
                  "; --ca-file names the authorities of a private one"),
          NodeTrouble::kRefused);
    return failure("the handshake of TLS failed: " + shaken->message());
  }

  const NodeSetup& setup_;
  asio::io_context context_;
  tcp::resolver resolver_{context_};
  std::optional<Stream> stream_;
};

}  // namespace bloomery::ethlog::node_line
