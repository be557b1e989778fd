#include "apps/redis_client/address.h"

#include <gtest/gtest.h>

namespace bloomery::redis_client {
namespace {

RedisAddress parsed(std::string_view text) {
  auto address = parse_redis_address(text);
  EXPECT_TRUE(address) << text << ": " << (address ? "" : address.error().message);
  return address ? *address : RedisAddress{};
}

std::string refusal(std::string_view text) {
  const auto address = parse_redis_address(text);
  EXPECT_FALSE(address) << text;
  if (address) return "";
  EXPECT_EQ(address.error().code, ErrorCode::kInvalidArgument) << text;
  return address.error().message;
}

TEST(RedisAddress, HostAndKeyAreEnough) {
  const RedisAddress address = parsed("redis://cache/seen");
  EXPECT_EQ(address.host, "cache");
  EXPECT_EQ(address.port, 6379);
  EXPECT_EQ(address.key, "seen");
  EXPECT_EQ(address.user, "");
  EXPECT_EQ(address.password, "");
  EXPECT_EQ(address.database, 0U);
  EXPECT_EQ(address.prefix, "");
  EXPECT_EQ(address.timeout, std::chrono::seconds{30});
  EXPECT_FALSE(address.is_socket());
}

TEST(RedisAddress, EveryPartHasItsPlace) {
  const RedisAddress address =
      parsed("redis://ann:p%40ss%2Fword@10.0.0.1:7000/a/b:c%20d%00%3F?db=3&timeout=5&prefix=blm");
  EXPECT_EQ(address.user, "ann");
  EXPECT_EQ(address.password, "p@ss/word");
  EXPECT_EQ(address.host, "10.0.0.1");
  EXPECT_EQ(address.port, 7000);
  EXPECT_EQ(address.key, std::string("a/b:c d\0?", 9));
  EXPECT_EQ(address.database, 3U);
  EXPECT_EQ(address.timeout, std::chrono::seconds{5});
  EXPECT_EQ(address.prefix, "blm");
}

TEST(RedisAddress, OneWordBeforeTheHostIsThePassword) {
  EXPECT_EQ(parsed("redis://secret@h/k").password, "secret");
  EXPECT_EQ(parsed("redis://secret@h/k").user, "");
  EXPECT_EQ(parsed("redis://:secret@h/k").password, "secret");
  EXPECT_EQ(parsed("redis://a:b:c@h/k").password, "b:c");
  EXPECT_EQ(parsed("redis://a:b@c@h/k").password, "b@c");
}

TEST(RedisAddress, AnAddressWithColonsIsInBrackets) {
  EXPECT_EQ(parsed("redis://[::1]:7001/k").host, "::1");
  EXPECT_EQ(parsed("redis://[::1]:7001/k").port, 7001);
  EXPECT_EQ(parsed("redis://[fe80::1]/k").port, 6379);
  EXPECT_NE(refusal("redis://[::1/k").find("bracket"), std::string::npos);
  EXPECT_NE(refusal("redis://[::1]7001/k").find("bracket"), std::string::npos);
}

TEST(RedisAddress, AHostThatIsAPathIsASocket) {
  const RedisAddress address = parsed("redis://%2Frun%2Fredis.sock/k");
  EXPECT_TRUE(address.is_socket());
  EXPECT_EQ(address.host, "/run/redis.sock");
}

TEST(RedisAddress, WhatIsMissingOrWrongIsNamed) {
  EXPECT_NE(refusal("redis:///k").find("names no host"), std::string::npos);
  EXPECT_NE(refusal("redis://h").find("names no key"), std::string::npos);
  EXPECT_NE(refusal("redis://h/").find("names no key"), std::string::npos);
  EXPECT_NE(refusal("redis://h/?db=1").find("names no key"), std::string::npos);
  EXPECT_NE(refusal("redis://h:/k").find("no port"), std::string::npos);
  for (const char* port : {"0", "65536", "-1", "1x", "99999999999999999999"})
    EXPECT_NE(refusal(std::string{"redis://h:"} + port + "/k").find("1 to 65535"),
              std::string::npos);
  for (const char* broken : {"redis://h/%", "redis://h/%4", "redis://h/%zz", "redis://h%/k",
                             "redis://a%@h/k", "redis://a:b%@h/k", "redis://h/k?prefix=%"})
    EXPECT_NE(refusal(broken).find("percent"), std::string::npos);
  EXPECT_NE(refusal("redis://h%00/k").find("zero byte"), std::string::npos);
  EXPECT_NE(refusal("redis://h/k?ttl=1").find("'ttl'"), std::string::npos);
  EXPECT_NE(refusal("redis://h/what?").find("%3F"), std::string::npos);
  EXPECT_NE(refusal("redis://h/k?db=x").find("db"), std::string::npos);
  for (const char* seconds : {"0", "-1", "86401", "", "1s"})
    EXPECT_NE(refusal(std::string{"redis://h/k?timeout="} + seconds).find("timeout"),
              std::string::npos);
  EXPECT_NE(refusal("rediss://h/k").find("TLS"), std::string::npos);
}

TEST(RedisAddress, AnythingElseIsAFile) {
  EXPECT_TRUE(is_redis_address("redis://h/k"));
  EXPECT_TRUE(is_redis_address("rediss://h/k"));
  for (const char* file : {"redis:/h/k", "./redis://h/k", "redis", "", "http://h/k"})
    EXPECT_FALSE(is_redis_address(file)) << file;
}

TEST(RedisAddress, PasswordsAreNotShown) {
  EXPECT_EQ(without_password("redis://ann:secret@h/k"), "redis://h/k");
  EXPECT_EQ(without_password("redis://a@b@h/k"), "redis://h/k");
  EXPECT_EQ(without_password("rediss://ann:secret@h/k: no TLS"), "rediss://h/k: no TLS");
  EXPECT_EQ(without_password("redis://a:b@h/x and redis://c:d@h/y: differ"),
            "redis://h/x and redis://h/y: differ");
  EXPECT_EQ(without_password("redis://h/user@example.org"), "redis://h/user@example.org");
  EXPECT_EQ(without_password("http://a:b@h/k"), "http://a:b@h/k");
  EXPECT_EQ(without_password("seen.bloom: bad"), "seen.bloom: bad");
  EXPECT_EQ(without_password("redis://"), "redis://");
}

}  // namespace
}  // namespace bloomery::redis_client
