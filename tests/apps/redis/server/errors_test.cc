#include "apps/redis/server/errors.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace bloomery::redis_module {
namespace {

TEST(RedisErrors, EachRefusalHasWordsOfItsOwn) {
  std::set<std::string> texts;
  const int last = static_cast<int>(Refusal::kNoMemory);
  for (int i = 0; i <= last; ++i) texts.insert(error_text(static_cast<Refusal>(i)));
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(last) + 1);
  EXPECT_FALSE(texts.contains("ERR unknown error"));
}

}  // namespace
}  // namespace bloomery::redis_module
