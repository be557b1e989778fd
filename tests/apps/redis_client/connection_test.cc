#include "apps/redis_client/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <thread>

#include "apps/redis_client/settings.h"
#include "tests/apps/redis_client/fake_server.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::redis_client {
namespace {

using ::testing::HasSubstr;
using testing::Not;

class RedisConnectionTest : public ::testing::Test {
 protected:
  RedisConnectionTest() {
    address_.host = (folder_ / "redis.sock").string();
    address_.timeout = std::chrono::milliseconds{200};
    address_.key = "k";
    for (const char* name : {"BLOOMERY_REDIS_PASSWORD", "REDISCLI_AUTH"}) ::unsetenv(name);
  }
  ~RedisConnectionTest() override { connection_settings() = {}; }

  // What a server is sent by a client that only says PING.
  std::string sent() {
    std::string heard;
    {
      const FakeServer server{address_.host, [&](int peer) { heard = hear(peer, "+OK\r\n"); }};
      auto connection = RedisConnection::open(address_);
      EXPECT_TRUE(connection) << connection.error().message;
      if (connection) {
        EXPECT_TRUE(connection->call({"PING"}));
      }
      const auto hung_up = std::move(connection);
    }
    std::filesystem::remove(address_.host);
    return heard;
  }

  ScratchFolder folder_;
  RedisAddress address_;
};

TEST_F(RedisConnectionTest, AReplyThatDripsIsNotWaitedForForEver) {
  const FakeServer server{address_.host, [](int peer) {
                            std::string_view next = "$100000\r\n";
                            while (::send(peer, next.data(), next.size(), MSG_NOSIGNAL) > 0) {
                              std::this_thread::sleep_for(std::chrono::milliseconds{5});
                              next = "x";
                            }
                          }};
  auto connection = RedisConnection::open(address_);
  ASSERT_TRUE(connection) << connection.error().message;
  const auto reply = connection->call({"PING"});
  { const auto hung_up = std::move(connection); }
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr("too slowly"));
}

TEST_F(RedisConnectionTest, AServerThatTakesNothingIsNotWaitedForForEver) {
  std::atomic<bool> is_over = false;
  const FakeServer server{address_.host, [&](int peer) {
                            char byte = 0;
                            while (!is_over && ::recv(peer, &byte, 1, 0) == 1)  // of 8 MiB
                              std::this_thread::sleep_for(std::chrono::milliseconds{20});
                          }};
  auto connection = RedisConnection::open(address_);
  ASSERT_TRUE(connection) << connection.error().message;
  const std::string large(8 << 20, 'x');
  const auto begun = std::chrono::steady_clock::now();
  const auto reply = connection->call({"SET", "k", large});
  is_over = true;
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message,
              HasSubstr("it accepts no more data, and the time limit has passed"));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{10});
}

TEST_F(RedisConnectionTest, ASilentServerIsNotWaitedForForEver) {
  const FakeServer server{address_.host, [](int peer) { (void)hear(peer, ""); }};
  auto connection = RedisConnection::open(address_);
  ASSERT_TRUE(connection);
  const auto reply = connection->call({"PING"});
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr("nothing came within"));
}

TEST_F(RedisConnectionTest, ThePasswordComesFromTheFirstOfItsPlaces) {
  EXPECT_THAT(sent(), Not(HasSubstr("AUTH")));
  ::setenv("REDISCLI_AUTH", "of-redis-cli", 1);
  EXPECT_THAT(sent(), HasSubstr("AUTH\r\n$12\r\nof-redis-cli\r\n"));
  ::setenv("BLOOMERY_REDIS_PASSWORD", "of-environment", 1);
  EXPECT_THAT(sent(), HasSubstr("AUTH\r\n$14\r\nof-environment\r\n"));
  std::ofstream{folder_ / "password"} << "of-file\r\nmore\n";
  connection_settings().password = (folder_ / "password").string();
  EXPECT_THAT(sent(), HasSubstr("AUTH\r\n$7\r\nof-file\r\n"));
  address_.user = "ann";
  EXPECT_THAT(sent(), HasSubstr("AUTH\r\n$3\r\nann\r\n$7\r\nof-file\r\n"));
  address_.password = "of-address";
  EXPECT_THAT(sent(), HasSubstr("AUTH\r\n$3\r\nann\r\n$10\r\nof-address\r\n"));
}

TEST_F(RedisConnectionTest, AFileWithoutAPasswordIsNotNoPassword) {
  connection_settings().password = (folder_ / "password").string();
  const auto refusal = [&] {
    const auto connection = RedisConnection::open(address_);
    return connection ? std::string{} : connection.error().message;
  };
  EXPECT_THAT(refusal(), HasSubstr("password: cannot read"));
  std::ofstream{folder_ / "password"} << "\nsecond line\n";
  EXPECT_THAT(refusal(), HasSubstr("first line is empty"));
  std::ofstream{folder_ / "password"} << std::string(5'000, 'x');
  EXPECT_THAT(refusal(), HasSubstr("longer than a password"));
}

TEST_F(RedisConnectionTest, AServerThatRepeatsThePasswordIsNotRepeated) {
  address_.password = "hush-hush";
  const FakeServer server{address_.host, [](int peer) {
                            (void)hear(peer,
                                       "-ERR unknown command 'AUTH', with args beginning "
                                       "with: 'hush-hush'\r\n");
                          }};
  const auto connection = RedisConnection::open(address_);
  ASSERT_FALSE(connection);
  EXPECT_THAT(connection.error().message, Not(HasSubstr("hush-hush")));
  EXPECT_THAT(connection.error().message, HasSubstr("'***'"));
}

TEST_F(RedisConnectionTest, ThePasswordGoesToNoOtherHostUnlessItIsACluster) {
  const std::string other = (folder_ / "other.sock").string();
  std::string heard;
  const auto ask = [&](std::string_view password, bool is_cluster) {
    heard.clear();
    std::filesystem::remove(other);
    std::filesystem::remove(address_.host);
    const FakeServer stranger{other, [&](int peer) { heard = hear(peer, "+OK\r\n"); }};
    const FakeServer server{address_.host, [&](int peer) {
                              char buffer[4096];
                              if (!password.empty() && ::recv(peer, buffer, sizeof buffer, 0) > 0)
                                say(peer, "+OK\r\n");
                              (void)hear(peer, "-MOVED 1 " + other + ":1\r\n");
                            }};
    RedisAddress address = address_;
    address.password = password;
    address.is_cluster = is_cluster;
    auto connection = RedisConnection::open(address);
    EXPECT_TRUE(connection);
    const auto reply = connection->call({"PING"});
    { const auto hung_up = std::move(connection); }
    return reply ? std::string{"OK"} : reply.error().message;
  };
  const std::string refusal = ask("secret", false);
  EXPECT_THAT(refusal, HasSubstr("redirects to"));
  EXPECT_THAT(refusal, HasSubstr("?cluster=1"));
  EXPECT_THAT(refusal, Not(HasSubstr("secret")));
  EXPECT_EQ(heard, "");
  EXPECT_EQ(ask("secret", true), "OK");
  EXPECT_THAT(heard, HasSubstr("AUTH\r\n$6\r\nsecret\r\n"));
  EXPECT_EQ(ask("", false), "OK");
  EXPECT_THAT(heard, Not(HasSubstr("AUTH")));
}

TEST_F(RedisConnectionTest, ASocketsPathHasALimit) {
  address_.host = "/" + std::string(200, 'x');
  const auto connection = RedisConnection::open(address_);
  ASSERT_FALSE(connection);
  EXPECT_THAT(connection.error().message, HasSubstr("at most 107 bytes"));
}

}  // namespace
}  // namespace bloomery::redis_client
