#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "apps/redis_client/channel.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

Error trouble(int error) { return {ErrorCode::kIo, std::strerror(error)}; }

Result<Socket> connect_to(int family, const sockaddr* to, socklen_t bytes,
                          const Patience& patience) {
  Socket socket{::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (socket.descriptor() < 0) return trouble(errno);
  // A socket of this machine whose queue is full says so at once.
  constexpr int kPauseMilliseconds = 10;
  while (::connect(socket.descriptor(), to, bytes) != 0) {
    if (errno == EAGAIN && Clock::now() < patience.until) {
      ::poll(nullptr, 0, kPauseMilliseconds);
      continue;
    }
    if (errno != EINPROGRESS && errno != EINTR) return trouble(errno);
    if (auto ready = socket.wait(POLLOUT, patience); !ready) return ready.error();
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error != 0) return trouble(error);
    break;
  }
  const int on = 1;
  if (family != AF_UNIX)
    (void)::setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

Result<Socket> connect_to_path(const std::string& path, const Patience& patience) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (path.size() >= sizeof to.sun_path)
    return Error{ErrorCode::kIo,
                 message("the path of a socket has at most ", sizeof to.sun_path - 1, " bytes")};
  std::memcpy(to.sun_path, path.data(), path.size());
  return connect_to(AF_UNIX, reinterpret_cast<const sockaddr*>(&to), sizeof to, patience);
}

Result<Socket> connect_to_host(const RedisAddress& address, const Patience& patience) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (failed != 0) return Error{ErrorCode::kIo, ::gai_strerror(failed)};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned{found, ::freeaddrinfo};
  std::ptrdiff_t left = 0;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) ++left;
  Error last{ErrorCode::kIo, "it has no address"};
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next, --left) {
    // One that does not answer leaves time for the others.
    const auto now = Clock::now();
    const Patience its{now + std::max(patience.until - now, Clock::duration{}) / left,
                       patience.interrupted};
    auto socket = connect_to(one->ai_family, one->ai_addr, one->ai_addrlen, its);
    if (socket) return socket;
    last = socket.error();
  }
  return last;
}

class PlainChannel final : public Channel {
 public:
  explicit PlainChannel(Socket socket) : socket_{std::move(socket)} {}

  Result<std::size_t> send(std::string_view bytes, const Patience& patience) override {
    return repeated(POLLOUT, patience, [&] {
      // A server that hung up would end this program by SIGPIPE.
      return ::send(socket_.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    });
  }
  Result<std::size_t> receive(std::span<char> buffer, const Patience& patience) override {
    return repeated(POLLIN, patience,
                    [&] { return ::recv(socket_.descriptor(), buffer.data(), buffer.size(), 0); });
  }

 private:
  template <class Call>
  Result<std::size_t> repeated(short events, const Patience& patience, Call call) {
    for (;;) {
      const ssize_t some = call();
      if (some >= 0) return static_cast<std::size_t>(some);
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return trouble(errno);
      if (auto ready = socket_.wait(events, patience); !ready) return ready.error();
    }
  }

  Socket socket_;
};

}  // namespace

Socket::Socket(Socket&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<Socket> Socket::connect(const RedisAddress& address, const Patience& patience) {
  return address.is_socket() ? connect_to_path(address.host, patience)
                             : connect_to_host(address, patience);
}

Status Socket::wait(short events, const Patience& patience) const {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(patience.until - Clock::now()).count();
    if (left <= 0) return time_is_up();
    pollfd ready{descriptor_, events, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, 86'400'000)));
    if (count > 0) return ok();
    if (count == 0) continue;
    if (errno != EINTR) return trouble(errno);
    if (patience.interrupted != nullptr && patience.interrupted()) return trouble(EINTR);
  }
}

Error time_is_up() { return {ErrorCode::kIo, "time is up"}; }
bool is_time_up(const Error& error) { return error.message == time_is_up().message; }

std::unique_ptr<Channel> plain_channel(Socket socket) {
  return std::make_unique<PlainChannel>(std::move(socket));
}

}  // namespace bloomery::redis_client
