// A server at a Unix socket that says what a test wants.
#pragma once
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace bloomery::redis_client {

// Serves one client after another, each with the given function.
class FakeServer {
 public:
  FakeServer(const std::string& path, std::function<void(int peer)> serve)
      : listener_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)}, serve_{std::move(serve)} {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    thread_ = std::thread{[this] {
      for (int peer = 0; (peer = ::accept(listener_, nullptr, nullptr)) >= 0; ::close(peer))
        serve_(peer);
    }};
  }
  ~FakeServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

 private:
  const int listener_;
  std::function<void(int)> serve_;
  std::thread thread_;
};

inline void say(int peer, std::string_view text) {
  (void)::send(peer, text.data(), text.size(), MSG_NOSIGNAL);
}

// Everything the client sends until it hangs up; each read is answered.
inline std::string hear(int peer, std::string_view answer) {
  std::string heard;
  char buffer[4096];
  for (ssize_t some = 0; (some = ::recv(peer, buffer, sizeof buffer, 0)) > 0; say(peer, answer))
    heard.append(buffer, static_cast<std::size_t>(some));
  return heard;
}

}  // namespace bloomery::redis_client
