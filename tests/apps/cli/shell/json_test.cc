#include "apps/cli/shell/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace bloomery::cli {
namespace {

TEST(Json, IsWrittenAsNlohmannWritesIt) {
  const double numbers[] = {0,
                            1,
                            -1.5,
                            0.1,
                            1e-7,
                            1e22,
                            123456789.125,
                            5e-324,
                            std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::infinity()};
  for (const double number : numbers)
    EXPECT_EQ(Json(number).dump(), nlohmann::ordered_json(number).dump());
  for (const std::string text : {"", "plain", "tab\t\"quote\" \\ \x01", "\xc3\xa9", "\x7f"})
    EXPECT_EQ(Json(text).dump(), nlohmann::ordered_json(text).dump());
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
  EXPECT_EQ(Json(-5).dump(), "-5");
  EXPECT_EQ(Json(true).dump(), "true");
  EXPECT_EQ(Json().dump(), "null");
}

TEST(Json, PairsAreAnObjectAndOtherListsAnArray) {
  EXPECT_EQ((Json{{"b", 1}, {"a", nullptr}}).dump(), R"({"b":1,"a":null})");
  EXPECT_EQ((Json{{"one", 1}}).dump(), R"({"one":1})");
  EXPECT_EQ((Json{1, "two", false}).dump(), R"([1,"two",false])");
  EXPECT_EQ(Json::array().dump(), "[]");
  EXPECT_EQ(Json::object().dump(), "{}");
  EXPECT_EQ(Json(std::vector<std::string>{"a", "b"}).dump(), R"(["a","b"])");
}

TEST(Json, GrowsByMembersAndElements) {
  Json json;
  json["rows"].push_back(Json{{"n", 1}});
  json["rows"].push_back(2U);
  json["name"] = "x";
  json["name"] = "y";
  json.update(Json{{"more", 0.5}});
  EXPECT_EQ(json.dump(), R"({"rows":[{"n":1},2],"name":"y","more":0.5})");
}

TEST(Json, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(Json("a\xff").dump(), "\"a\xef\xbf\xbd\"");
  EXPECT_FALSE(is_utf8("a\xff"));
  EXPECT_TRUE(is_utf8("é"));
}

}  // namespace
}  // namespace bloomery::cli
