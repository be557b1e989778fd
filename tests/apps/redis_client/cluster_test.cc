#include "apps/redis_client/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/redis_client/fake_server.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::redis_client {
namespace {

// A server that is no cluster. Its replica confirms every second write.
class RedisClusterTest : public ::testing::Test {
 protected:
  RedisClusterTest() {
    address_.host = (folder_ / "redis.sock").string();
    address_.wait_replicas = 1;
  }

  void serve(int peer) {
    std::string heard;
    char buffer[4096];
    for (ssize_t some = 0; (some = ::recv(peer, buffer, sizeof buffer, 0)) > 0;) {
      heard.append(buffer, static_cast<std::size_t>(some));
      if (heard.ends_with("NODES\r\n"))
        say(peer, "-ERR This instance has cluster support disabled\r\n");
      else if (heard.ends_with("5000\r\n"))  // of WAIT
        say(peer, ++writes_ % 2 == 1 ? first_ : ":0\r\n:0\r\n:1\r\n");
      else
        continue;
      heard.clear();
    }
  }

  Result<std::vector<RedisReply>> write(ClusterMode mode) {
    const FakeServer server{address_.host, [&](int peer) { serve(peer); }};
    auto cluster = RedisCluster::open(address_);
    if (!cluster) return cluster.error();
    const ClusterCommand commands[] = {{{"SADD", "k", "a"}, 1}, {{"SADD", "k", "b"}, 1}};
    auto replies = cluster->call_all(commands, mode);
    resent_ = cluster->resent();
    const auto hung_up = std::move(cluster);
    return replies;
  }

  ScratchFolder folder_;
  RedisAddress address_;
  std::string first_ = ":1\r\n:1\r\n:0\r\n";  // both carried out, none confirmed
  int writes_ = 0;
  std::uint64_t resent_ = 0;
};

TEST_F(RedisClusterTest, CountsWhatIsSentAgainBecauseItIsNotConfirmed) {
  const auto replies = write(ClusterMode::kWrite);
  ASSERT_TRUE(replies) << replies.error().message;
  EXPECT_EQ(replies->front().integer, 0) << "the first reply is lost";
  EXPECT_EQ(writes_, 2);
  EXPECT_EQ(resent_, 2U);
}

TEST_F(RedisClusterTest, CountsNoCommandThatWasRefused) {
  first_ = ":1\r\n-TRYAGAIN\r\n:0\r\n";
  ASSERT_TRUE(write(ClusterMode::kWrite));
  EXPECT_EQ(resent_, 1U);
}

TEST_F(RedisClusterTest, DoesNotSendAgainWhatMayGoOnce) {
  const auto replies = write(ClusterMode::kOnce);
  ASSERT_FALSE(replies);
  EXPECT_THAT(replies.error().message, ::testing::HasSubstr("0 of 1 replicas confirmed"));
  EXPECT_EQ(writes_, 1);
}

}  // namespace
}  // namespace bloomery::redis_client
