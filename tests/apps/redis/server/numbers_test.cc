#include "apps/redis/server/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace bloomery::redis_module {
namespace {

TEST(RedisNumbers, AnIntegerIsWrittenInOneWayOnly) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_integer("-9223372036854775808"), INT64_MIN);
  for (const char* text : {"", "-", "+1", "01", "-0", " 1", "1 ", "1.0", "1e3", "0x1", "one",
                           "9223372036854775808", "-9223372036854775809"})
    EXPECT_FALSE(parse_integer(text)) << text;
  EXPECT_FALSE(parse_integer(std::string_view{"1\0", 2}));
}

TEST(RedisNumbers, ADoubleIsTakenWholeOrNotAtAll) {
  EXPECT_EQ(parse_double("0.01"), 0.01);
  EXPECT_EQ(parse_double("1e-3"), 0.001);
  EXPECT_EQ(parse_double("+.5"), 0.5);
  EXPECT_TRUE(std::isinf(parse_double("inf").value_or(0)));
  for (const char* text : {"", " 1", "1 ", "nan", "0.1x", "1e999", "1e-999", "x"})
    EXPECT_FALSE(parse_double(text)) << text;
  EXPECT_FALSE(parse_double(std::string_view{"1\0", 2}));
}

TEST(RedisNumbers, TheTextOfADoubleIsReadAsTheSameDouble) {
  std::mt19937_64 random{7};
  std::uniform_real_distribution<double> exponent{-300, 0};
  for (int i = 0; i < 1000; ++i) {
    const double number = std::pow(10, exponent(random));
    EXPECT_EQ(parse_double(double_text(number)), number);
  }
  EXPECT_EQ(double_text(0.01), "0.01");
}

TEST(RedisNumbers, WordsAreTheSameInUpperAndLowerCase) {
  EXPECT_TRUE(same_word("Items", "ITEMS"));
  EXPECT_FALSE(same_word("ITEM", "ITEMS"));
  EXPECT_FALSE(same_word("[tems", "{TEMS"));
}

}  // namespace
}  // namespace bloomery::redis_module
