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
}

TEST(RedisAddress, TheSchemeSaysWhetherItIsEncrypted) {
  EXPECT_FALSE(parsed("redis://h/k").is_encrypted);
  const RedisAddress address = parsed("rediss://ann:secret@h:7000/k?db=2");
  EXPECT_TRUE(address.is_encrypted);
  EXPECT_EQ(address.host, "h");
  EXPECT_EQ(address.port, 7000);
  EXPECT_EQ(address.password, "secret");
  EXPECT_EQ(address.database, 2U);
  EXPECT_NE(refusal("rediss://%2Frun%2Fredis.sock/k").find("unix://"), std::string::npos);
}

TEST(RedisAddress, ASocketHasItsOwnScheme) {
  for (const char* text : {"unix:///run/a%20b/redis.sock?db=3&timeout=5#se%23en",
                           "redis+unix:///run/a%20b/redis.sock?db=3&timeout=5#se%23en"}) {
    const RedisAddress address = parsed(text);
    EXPECT_TRUE(address.is_socket());
    EXPECT_EQ(address.host, "/run/a b/redis.sock");
    EXPECT_EQ(address.key, "se#en");
    EXPECT_EQ(address.database, 3U);
    EXPECT_EQ(address.timeout, std::chrono::seconds{5});
    EXPECT_EQ(address.password, "");
  }
  EXPECT_EQ(parsed("unix://ann:p%2Fw@/run/redis.sock#k").user, "ann");
  EXPECT_EQ(parsed("unix://ann:p%2Fw@/run/redis.sock#k").password, "p/w");
  EXPECT_NE(refusal("unix:///run/redis.sock").find("#key"), std::string::npos);
  EXPECT_NE(refusal("unix:///run/redis.sock#").find("#key"), std::string::npos);
  EXPECT_NE(refusal("unix://redis.sock#k").find("names no socket"), std::string::npos);
  EXPECT_NE(refusal("unix://run/redis.sock#k").find("no host"), std::string::npos);
  EXPECT_NE(refusal("unix:///run/redis.sock?#k").find("option"), std::string::npos);
}

TEST(RedisAddress, AClusterIsAskedFor) {
  EXPECT_FALSE(parsed("redis://h/k").is_cluster);
  EXPECT_FALSE(parsed("redis://h/k?cluster=0").is_cluster);
  EXPECT_TRUE(parsed("redis://h/k?cluster=1").is_cluster);
  EXPECT_NE(refusal("redis://h/k?cluster=yes").find("1 or 0"), std::string::npos);
}

TEST(RedisAddress, AnythingElseIsAFile) {
  EXPECT_TRUE(is_redis_address("redis://h/k"));
  EXPECT_TRUE(is_redis_address("rediss://h/k"));
  EXPECT_TRUE(is_redis_address("unix:///run/redis.sock#k"));
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
  EXPECT_EQ(without_password("unix://ann:secret@/run/redis.sock#k"), "unix:///run/redis.sock#k");
  EXPECT_EQ(without_password("redis+unix://:secret@/r#k"), "redis+unix:///r#k");
  // Not ours, or wrong: a password all the same.
  EXPECT_EQ(without_password("REDIS://ann:secret@h/k: no such file"), "REDIS://h/k: no such file");
  EXPECT_EQ(without_password("valkeys://ann:secret@h/k"), "valkeys://h/k");
  EXPECT_EQ(without_password("redis+cluster://ann:secret@h/k"), "redis+cluster://h/k");
  EXPECT_EQ(without_password("redis://ann:sec/ret@h/k: bad port"), "redis://h/k: bad port");
  EXPECT_EQ(without_password("redis://ann:s/e/c@r@h/k and a@b"), "redis://h/k and a@b");
  EXPECT_EQ(without_password("redis://ann:sec ret'@h/k"), "redis://h/k");
  EXPECT_EQ(without_password("redis://[::1]:6379/me@home"), "redis://[::1]:6379/me@home");
  EXPECT_EQ(without_password("redis://h:6379/me@home"), "redis://h:6379/me@home");
}

TEST(RedisAddress, PasswordsAreOverwrittenInPlace) {
  std::string text = "--against=redis://ann:secret@h/k";
  overwrite_passwords(text);
  EXPECT_EQ(text, "--against=redis://**********@h/k");
  std::string none = "redis://h/me@home";
  overwrite_passwords(none);
  EXPECT_EQ(none, "redis://h/me@home");
}

TEST(RedisAddress, OptionsOfAFilterOverManyKeys) {
  EXPECT_EQ(parsed("redis://h/k").shards, std::nullopt);
  EXPECT_EQ(parsed("redis://h/k?shards=auto").shards, 0U);
  const RedisAddress address = parsed("redis://h/k?shards=12&wait=1&replicas=1");
  EXPECT_EQ(address.shards, 12U);
  EXPECT_EQ(address.wait_replicas, 1U);
  EXPECT_TRUE(address.reads_replicas);
  for (const char* text :
       {"redis://h/k?shards=0", "redis://h/k?shards=16385", "redis://h/k?shards=x",
        "redis://h/k?shards=", "redis://h/k?wait=1", "redis://h/k?replicas=1",
        "redis://h/k?shards=4&wait=-1", "redis://h/k?shards=4&wait=101",
        "redis://h/k?shards=4&replicas=2", "redis://h/k?shards=4&db=1", "redis://h/k{a}?shards=4",
        "unix:///run/redis.sock?shards=4#k"})
    EXPECT_NE(refusal(text), "") << text;
}

}  // namespace
}  // namespace bloomery::redis_client
