// TLS by OpenSSL, over a socket that is read and written here: so no wait is endless, and no signal
// is raised where the server hung up.
#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "apps/redis_client/channel.h"
#include "apps/redis_client/settings.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

template <auto Free>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Context = std::unique_ptr<SSL_CTX, Freer<SSL_CTX_free>>;
using Connection = std::unique_ptr<SSL, Freer<SSL_free>>;

Error tls_error(std::string reason) { return {ErrorCode::kIo, std::move(reason)}; }

std::string library_reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  return reason == nullptr ? "unknown" : reason;
}

int descriptor_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

template <class Call>
int carried(BIO* bio, Call call, void (*retry)(BIO*)) {
  BIO_clear_retry_flags(bio);
  const auto some = call();
  if (some < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) retry(bio);
  return static_cast<int>(some);
}

int write_to_socket(BIO* bio, const char* bytes, int count) {
  return carried(
      bio,
      [&] {
        return ::send(descriptor_of(bio), bytes, static_cast<std::size_t>(count), MSG_NOSIGNAL);
      },
      [](BIO* it) { BIO_set_retry_write(it); });
}

int read_from_socket(BIO* bio, char* buffer, int count) {
  return carried(
      bio, [&] { return ::recv(descriptor_of(bio), buffer, static_cast<std::size_t>(count), 0); },
      [](BIO* it) { BIO_set_retry_read(it); });
}

long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO* socket_bio(int descriptor) {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (made == nullptr) return made;
    BIO_meth_set_write(made, write_to_socket);
    BIO_meth_set_read(made, read_from_socket);
    BIO_meth_set_ctrl(made, control);
    return made;
  }();
  BIO* bio = method == nullptr ? nullptr : BIO_new(method);
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)));
  BIO_set_init(bio, 1);
  return bio;
}

Status use_files(SSL_CTX& context, const ConnectionSettings& files) {
  const auto unusable = [](const std::string& file, std::string_view what) {
    return tls_error(message(file, ": cannot be used as ", what, ": ", library_reason()));
  };
  if (files.authorities.empty()) {
    if (SSL_CTX_set_default_verify_paths(&context) != 1)
      return tls_error(
          "the system's certificate authorities cannot be read; name a file with "
          "--redis-ca-file or BLOOMERY_REDIS_CA");
  } else if (SSL_CTX_load_verify_locations(&context, files.authorities.c_str(), nullptr) != 1) {
    return unusable(files.authorities, "the certificates of authorities (PEM)");
  }
  if (files.certificate.empty() && files.key.empty()) return ok();
  if (files.certificate.empty())
    return tls_error("a client's key is of use only with its certificate; give --redis-cert-file");
  const std::string& key = files.key.empty() ? files.certificate : files.key;
  if (SSL_CTX_use_certificate_chain_file(&context, files.certificate.c_str()) != 1)
    return unusable(files.certificate, "this client's certificate (PEM)");
  if (SSL_CTX_use_PrivateKey_file(&context, key.c_str(), SSL_FILETYPE_PEM) != 1)
    return unusable(key, "the key of this client's certificate (PEM)");
  return ok();
}

Result<Context> make_context() {
  Context context{SSL_CTX_new(TLS_client_method())};
  if (context == nullptr) return tls_error("there is no memory for TLS");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (auto used = use_files(*context, tls_settings()); !used) return used.error();
  return context;
}

bool is_ip(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool expect_host(SSL* ssl, const std::string& host) {
  if (is_ip(host)) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

std::string certificate_trouble(long result, const std::string& host) {
  switch (result) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return message("its certificate is not for '", host,
                     "'; give the name that the certificate has, or another certificate to the "
                     "server");
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "its certificate has expired; renew it on the server";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "its certificate is not valid yet; check the clocks of both machines";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return message("its certificate is not signed by a trusted authority (",
                     X509_verify_cert_error_string(result),
                     "); name the authority's certificate with --redis-ca-file or "
                     "BLOOMERY_REDIS_CA");
    default:
      return message("its certificate is refused: ", X509_verify_cert_error_string(result));
  }
}

// Also of an alert that comes later: TLS 1.3 tells a client only then that it needs a certificate.
std::string protocol_trouble() {
  switch (ERR_GET_REASON(ERR_peek_last_error())) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_HTTP_REQUEST:
      return "it does not speak TLS on this port; redis:// connects without";
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      return message("it refuses this client (", library_reason(),
                     "); a server that wants a certificate gets one by --redis-cert-file and "
                     "--redis-key-file");
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
      return message("it refuses this client's certificate (", library_reason(), ")");
    default:
      return message("TLS failed: ", library_reason());
  }
}

class EncryptedChannel final : public Channel {
 public:
  EncryptedChannel(Socket socket, Context context, Connection connection)
      : socket_{std::move(socket)},
        context_{std::move(context)},
        connection_{std::move(connection)} {}

  Status greet(const std::string& host, const Patience& patience) {
    const auto done = repeated(patience, [this] { return SSL_connect(connection_.get()); });
    if (done && *done > 0) return ok();
    if (const long result = SSL_get_verify_result(connection_.get()); result != X509_V_OK)
      return tls_error(certificate_trouble(result, host));
    if (done) return tls_error("it hung up in the TLS handshake; is this port encrypted?");
    if (is_time_up(done.error()))
      return tls_error("the TLS handshake took too long; is this port encrypted?");
    return done.error();
  }

  Result<std::size_t> send(std::string_view bytes, const Patience& patience) override {
    const int count = static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 20));
    auto some =
        repeated(patience, [&] { return SSL_write(connection_.get(), bytes.data(), count); });
    const bool hung_up = some ? *some == 0 : !is_time_up(some.error());
    if (hung_up && !has_heard_) return refused(some);
    if (some && *some == 0) return tls_error("it hung up");
    return some;
  }
  Result<std::size_t> receive(std::span<char> buffer, const Patience& patience) override {
    const int count = static_cast<int>(std::min<std::size_t>(buffer.size(), 1 << 20));
    auto some =
        repeated(patience, [&] { return SSL_read(connection_.get(), buffer.data(), count); });
    const bool hung_up = some ? *some == 0 : !is_time_up(some.error());
    if (hung_up && !has_heard_) return refused(some);
    has_heard_ = true;
    return some;
  }

 private:
  // 0: the server hung up.
  template <class Call>
  Result<std::size_t> repeated(const Patience& patience, Call call) {
    for (;;) {
      ERR_clear_error();
      errno = 0;
      const int some = call();
      if (some > 0) return static_cast<std::size_t>(some);
      const int error = errno;
      short events = POLLIN;
      switch (SSL_get_error(connection_.get(), some)) {
        case SSL_ERROR_WANT_READ:
          break;
        case SSL_ERROR_WANT_WRITE:
          events = POLLOUT;
          break;
        case SSL_ERROR_ZERO_RETURN:
          return std::size_t{0};
        case SSL_ERROR_SYSCALL:
          if (error == 0) return std::size_t{0};
          return tls_error(std::strerror(error));
        default:
          if (ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
            return std::size_t{0};
          return tls_error(protocol_trouble());
      }
      if (auto ready = socket_.wait(events, patience); !ready) return ready.error();
    }
  }

  // A server that wants a client's certificate hangs up after the handshake (TLS 1.3); the alert
  // that says why may be lost with the connection.
  static Result<std::size_t> refused(const Result<std::size_t>& why) {
    return tls_error(message("it hung up after the TLS handshake",
                             why ? "" : message(" (", why.error().message, ")"),
                             "; it refuses this client if it wants another certificate: give one "
                             "with --redis-cert-file and --redis-key-file"));
  }

  Socket socket_;
  Context context_;
  Connection connection_;
  bool has_heard_ = false;  // anything since the handshake
};

}  // namespace

Result<std::unique_ptr<Channel>> encrypted_channel(Socket socket, const RedisAddress& address,
                                                   const Patience& patience) {
  ERR_clear_error();
  auto context = make_context();
  if (!context) return context.error();
  Connection connection{SSL_new(context->get())};
  BIO* bio = connection ? socket_bio(socket.descriptor()) : nullptr;
  if (bio == nullptr) return tls_error("there is no memory for TLS");
  SSL_set_bio(connection.get(), bio, bio);
  if (!expect_host(connection.get(), address.host))
    return tls_error(message("'", address.host, "' is no name that a certificate could have"));
  auto channel = std::make_unique<EncryptedChannel>(std::move(socket), std::move(*context),
                                                    std::move(connection));
  if (auto greeted = channel->greet(address.host, patience); !greeted) return greeted.error();
  return std::unique_ptr<Channel>{std::move(channel)};
}

}  // namespace bloomery::redis_client
