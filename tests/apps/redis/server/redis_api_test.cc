#include "apps/redis/server/redis_api.h"

#include <gtest/gtest.h>

#include <string_view>

namespace bloomery::redis_module {
namespace {

// What the server lays out in its own header, on the machines it runs on: 64 bits.
TEST(RedisApi, StructuresLieAsTheServerReadsThem) {
  EXPECT_EQ(sizeof(TypeMethods), 14 * 8U);
  EXPECT_EQ(offsetof(TypeMethods, aux_save_triggers), 9 * 8U);
  EXPECT_EQ(offsetof(TypeMethods, defrag), 13 * 8U);
  EXPECT_EQ(sizeof(Argument), 72U);
  EXPECT_EQ(offsetof(Argument, token), 16U);
  EXPECT_EQ(offsetof(Argument, parts), 56U);
  EXPECT_EQ(sizeof(KeySpec), 56U);
  EXPECT_EQ(offsetof(KeySpec, begin), 24U);
  EXPECT_EQ(offsetof(KeySpec, find_keys), 40U);
  EXPECT_EQ(offsetof(KeySpec, find), 44U);
  EXPECT_EQ(sizeof(CommandInfo), 72U);
}

int finds_all_but_calloc(const char* name, void* out) {
  if (std::string_view{name} == "RedisModule_Calloc") return kError;
  if (std::string_view{name}.starts_with("Valkey")) return kError;
  *static_cast<void**>(out) = out;
  return kOk;
}
int finds_what_is_needed(const char* name, void* out) {
  if (std::string_view{name} == "RedisModule_TryCalloc") return kError;
  *static_cast<void**>(out) = out;
  return kOk;
}

TEST(RedisApi, AMissingFunctionIsNamedAndAProbedOneIsNull) {
  const Api before = api;
  struct {
    int (*finder)(const char*, void*);
  } server{finds_all_but_calloc};
  EXPECT_STREQ(bind_api(reinterpret_cast<Context*>(&server)), "Calloc");
  server.finder = finds_what_is_needed;
  EXPECT_EQ(bind_api(reinterpret_cast<Context*>(&server)), nullptr);
  EXPECT_EQ(api.TryCalloc, nullptr);
  EXPECT_NE(api.TryAlloc, nullptr);
  EXPECT_TRUE(api.is_valkey);
  api = before;
}

}  // namespace
}  // namespace bloomery::redis_module
