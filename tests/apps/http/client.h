// A client that sends any bytes, right or wrong, and waits at most some seconds for anything.
#pragma once
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "apps/http/server.h"

namespace bloomery::http {

inline std::string post(std::string_view body, std::string_view path = "/echo") {
  return "POST " + std::string{path} +
         " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string{body};
}

inline std::string get(std::string_view path, std::string_view headers = "") {
  return "GET " + std::string{path} + " HTTP/1.1\r\nHost: localhost\r\n" + std::string{headers} +
         "\r\n";
}

struct Received {
  unsigned status = 0;  // 0: the connection ended
  std::string head, body;
};

struct Frame {
  unsigned opcode = 0;  // 0: the connection ended
  std::string payload;
  unsigned close_code() const {
    if (payload.size() < 2) return 0;
    return static_cast<unsigned char>(payload[0]) * 256U + static_cast<unsigned char>(payload[1]);
  }
};

class Client {
 public:
  explicit Client(const Address& address, int receive_bytes = 0)
      : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
    if (receive_bytes != 0)
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    connect(address);
  }
  Client() : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {}
  Client(Client&& other) noexcept
      : socket_{std::exchange(other.socket_, -1)}, unread_{std::move(other.unread_)} {}
  Client& operator=(Client&&) = delete;
  ~Client() { leave(); }

  template <class Value>
  void set(int level, int option, const Value& value) {
    EXPECT_EQ(0, ::setsockopt(socket_, level, option, &value, sizeof value));
  }
  void bind(const char* host) {
    sockaddr_in from{};
    from.sin_family = AF_INET;
    inet_pton(AF_INET, host, &from.sin_addr);
    EXPECT_EQ(0, ::bind(socket_, reinterpret_cast<sockaddr*>(&from), sizeof from));
  }
  void connect(const Address& address) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(address.port);
    inet_pton(AF_INET, address.host.c_str(), &to.sin_addr);
    EXPECT_EQ(0, ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to));
  }
  // False if the other side no longer takes it, or not within some seconds.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      pollfd ready{socket_, POLLOUT, 0};
      if (::poll(&ready, 1, kPatience) != 1) return false;
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }
  void leave() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  // More of what was sent, or false at its end.
  bool receive() {
    pollfd ready{socket_, POLLIN, 0};
    if (::poll(&ready, 1, kPatience) != 1) {
      ADD_FAILURE() << "nothing came";
      return false;
    }
    std::array<char, 65536> bytes;
    const auto count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (count <= 0) return false;
    unread_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  bool is_ended() {
    while (receive()) {
    }
    return true;
  }
  std::string take(std::size_t bytes) {
    while (unread_.size() < bytes)
      if (!receive()) return {};
    std::string taken = unread_.substr(0, bytes);
    unread_.erase(0, bytes);
    return taken;
  }
  Received reply(bool with_body = true) {
    std::size_t end = std::string::npos;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos)
      if (!receive()) return {};
    Received reply;
    reply.head = take(end + 4);
    reply.status = static_cast<unsigned>(std::stoul(reply.head.substr(9, 3)));
    const std::size_t length = reply.head.find("Content-Length: ");
    if (with_body && length != std::string::npos)
      reply.body = take(std::stoul(reply.head.substr(length + 16)));
    return reply;
  }
  Received ask(std::string_view request) {
    send(request);
    return reply();
  }

  // WebSocket.
  Received upgrade(std::string_view headers = "") {
    return ask(get("/",
                   "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                       std::string{headers}));
  }
  static std::string frame(unsigned opcode, std::string_view payload, bool is_last = true,
                           bool is_masked = true) {
    std::string bytes;
    const auto put = [&](std::uint64_t byte) { bytes += static_cast<char>(byte & 255); };
    const unsigned mask_bit = is_masked ? 128 : 0;
    put((is_last ? 128 : 0) | opcode);
    if (payload.size() < 126) {
      put(mask_bit | payload.size());
    } else if (payload.size() < 65536) {
      put(mask_bit | 126);
      put(payload.size() >> 8);
      put(payload.size());
    } else {
      put(mask_bit | 127);
      for (int shift = 56; shift >= 0; shift -= 8) put(payload.size() >> shift);
    }
    if (is_masked) bytes.append(4, '\0');  // a mask that changes nothing
    return bytes.append(payload);
  }
  bool text(std::string_view payload) { return send(frame(1, payload)); }
  Frame receive_frame() {
    const std::string start = take(2);
    if (start.size() < 2) return {};
    std::size_t bytes = static_cast<unsigned char>(start[1]);
    if (const std::size_t more = bytes == 126 ? 2 : bytes == 127 ? 8 : 0; more != 0) {
      bytes = 0;
      for (const char c : take(more)) bytes = bytes * 256 + static_cast<unsigned char>(c);
    }
    return {static_cast<unsigned>(start[0]) & 15, take(bytes)};
  }

 private:
  static constexpr int kPatience = 10'000;  // far more than it takes: a sanitizer, a busy machine
  int socket_;
  std::string unread_;
};

// What no event tells is asked again and again.
template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::poll(nullptr, 0, 1);
  }
  return true;
}

// Lets a test wait until something has happened, and lets what happens wait for the test.
class Count {
 public:
  void add() {
    const std::lock_guard lock{mutex_};
    ++count_;
    changed_.notify_all();
  }
  bool reaches(int count) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, std::chrono::seconds{10}, [&] { return count_ >= count; });
  }
  int now() {
    const std::lock_guard lock{mutex_};
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

}  // namespace bloomery::http
