#include "bloomery/remote/block.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/base/message.h"
#include "bloomery/formats/native/native.h"

namespace bloomery {
namespace {

// Serves ranges of one file, a connection at a time.
class OneFileServer {
 public:
  explicit OneFileServer(std::vector<std::byte> file)
      : file_{std::move(file)}, listener_{::socket(AF_INET, SOCK_STREAM, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, any, length) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, any, &length) != 0)
      std::abort();
    port_ = ntohs(address.sin_port);
    thread_ = std::thread{[this] { serve(); }};
  }
  OneFileServer(const OneFileServer&) = delete;
  OneFileServer& operator=(const OneFileServer&) = delete;
  ~OneFileServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  std::string address() const { return message("http://127.0.0.1:", port_, "/seen.bloom"); }

 private:
  void serve() {
    for (int peer = 0; (peer = ::accept(listener_, nullptr, nullptr)) >= 0; ::close(peer))
      answer(peer);
  }

  void answer(int peer) const {
    std::string request;
    char piece[4096];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const auto got = ::recv(peer, piece, sizeof piece, 0);
      if (got <= 0) return;
      request.append(piece, static_cast<std::size_t>(got));
    }
    constexpr std::string_view kRange = "Range: bytes=";
    const char* const end = request.data() + request.size();
    std::size_t first = 0, last = 0;
    const auto dash =
        std::from_chars(request.data() + request.find(kRange) + kRange.size(), end, first);
    std::from_chars(dash.ptr + 1, end, last);
    last = std::min(last, file_.size() - 1);
    const std::string head =
        message("HTTP/1.1 206 Partial\r\nConnection: close\r\nContent-Range: bytes ", first, "-",
                last, "/", file_.size(), "\r\nContent-Length: ", last - first + 1, "\r\n\r\n");
    send_all(peer, bytes_of(head));
    send_all(peer, ByteView{file_}.subspan(first, last - first + 1));
  }

  static void send_all(int peer, ByteView bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }

  std::vector<std::byte> file_;
  int listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

TEST(RemoteBlock, SaysOfEveryLaterKeyThatItsBodyIsDamaged) {
  NativeBlock native{BlockFilter{{1 << 15, 6}}};
  auto encoded = encode_native(native);
  ASSERT_GT(encoded.size(), 8 * RemoteFile::kPageBytes);
  encoded[encoded.size() - 1000] ^= std::byte{1};
  const OneFileServer server{encoded};
  auto file = RemoteFile::open(server.address(), {});
  ASSERT_TRUE(file) << file.error().message;
  auto filter = RemoteBlock::open(std::move(*file), {});
  ASSERT_TRUE(filter) << filter.error().message;
  const ByteView key = bytes_of("key");
  std::uint8_t answer = 0;
  ASSERT_TRUE(filter->may_contain_batch({&key, 1}, {&answer, 1}));
  for (int i = 0; i < 2; ++i) {
    const auto all = filter->fetch_all();
    ASSERT_FALSE(all);
    EXPECT_EQ(all.error().code, ErrorCode::kMalformed);
    const auto asked = filter->may_contain_batch({&key, 1}, {&answer, 1});
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error().message, all.error().message);
  }
}

}  // namespace
}  // namespace bloomery
