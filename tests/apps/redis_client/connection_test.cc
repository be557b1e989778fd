#include "apps/redis_client/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "tests/base/scratch_folder.h"

namespace bloomery::redis_client {
namespace {

// Begins a long reply and sends a byte of it now and then, until the other side hangs up.
class DrippingServer {
 public:
  explicit DrippingServer(const std::string& path)
      : listener_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    thread_ = std::thread{[this] { drip(); }};
  }
  ~DrippingServer() {
    thread_.join();
    ::close(listener_);
  }

 private:
  void drip() const {
    const int peer = ::accept(listener_, nullptr, nullptr);
    std::string_view next = "$100000\r\n";
    while (::send(peer, next.data(), next.size(), MSG_NOSIGNAL) > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
      next = "x";
    }
    ::close(peer);
  }

  const int listener_;
  std::thread thread_;
};

TEST(RedisConnection, AReplyThatDripsIsNotWaitedForForEver) {
  const ScratchFolder folder;
  RedisAddress address;
  address.host = (folder / "redis.sock").string();
  address.timeout = std::chrono::milliseconds{200};
  const DrippingServer server{address.host};
  auto connection = RedisConnection::open(address);
  ASSERT_TRUE(connection) << connection.error().message;
  const auto reply = connection->call({"PING"});
  { const auto hung_up = std::move(connection); }
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().message.find("too slowly"), std::string::npos) << reply.error().message;
}

}  // namespace
}  // namespace bloomery::redis_client
