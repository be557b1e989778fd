#include "bloomery/funnel/json_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "bloomery/funnel/any_key.h"
#include "tests/funnel/hex.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;

std::string json_key(std::string_view text) {
  ByteSink sink;
  const auto put = put_json_key(text, sink);
  return put ? std::string{text_of(sink.bytes())} : "error: " + put.error().message;
}

TEST(JsonKey, IsThatOfTheSecondImplementation) {
  const auto golden = nlohmann::json::parse(std::ifstream{BLOOMERY_GOLDEN_DIR "/json_keys.json"});
  for (const auto& row : golden["rows"]) {
    ByteSink sink;
    const auto put = put_json_key(row[0].get<std::string>(), sink);
    ASSERT_TRUE(put) << row[0] << put.error().message;
    EXPECT_EQ(hex(sink.bytes()), row[1].get<std::string>()) << row[0];
  }
  EXPECT_GT(golden["rows"].size(), 30u);
}

TEST(JsonKey, TellsTypesApartAndSpellingsNot) {
  const std::vector<std::vector<std::string_view>> kClasses = {
      {"1", "1.0", "1e0", "10e-1", "0.1E+1", "100e-02", " 1 "},
      {"\"1\""},
      {"true"},
      {"null"},
      {"\"null\""},
      {"0", "-0", "0.000", "0e99", "-0.0e-5"},
      {"-1", "-1.0"},
      {"10", "1e1"},
      {"0.1", "1e-1"},
      {"0.10000000000000000000001"},
      {"123456789012345678901", "1.23456789012345678901e20"},
      {"\"\xc3\xbc\"", R"("\u00fc")", R"("\u00FC")"},
      {R"({"a":1,"b":[2,{}]})", R"({ "b" : [2.0,{}], "\u0061":1 })"},
      {R"({"a":1,"b":[{},2]})"},
      {R"({"a":{"b":1}})"},
      {R"({"a":null})"},
      {"{}"},
      {"[]"},
      {"[[],[]]"},
      {"[[[]]]"},
      {R"(["a","b"])"},
      {R"(["a,b"])"},
  };
  std::map<std::string, std::size_t> class_of;
  for (std::size_t i = 0; i < kClasses.size(); ++i)
    for (const std::string_view text : kClasses[i]) {
      const std::string key = json_key(text);
      EXPECT_FALSE(key.starts_with("error")) << text << ": " << key;
      EXPECT_EQ(class_of.emplace(key, i).first->second, i) << text;
    }
  EXPECT_EQ(class_of.size(), kClasses.size());
}

TEST(JsonKey, NamesTheByteOfWhatItRefuses) {
  const std::pair<std::string_view, std::string_view> kCases[] = {
      {"", "it ends before its value does (byte 1)"},
      {"tru", "a value was expected (byte 1)"},
      {"[1,]", "a value was expected (byte 4)"},
      {"[1 2]", "a comma or a closing bracket was expected (byte 4)"},
      {R"({"a":1,"b":2,"a":3})", "the member \"a\" occurs twice in an object"},
      {R"({"a":1,"b":2,"a":3})", "(byte 14)"},
      {R"({"a":1,"\u0061":3})", "(byte 8)"},
      {"{\"a\":1", "it ends before its value does (byte 7)"},
      {"{a:1}", "the name of a member was expected (byte 2)"},
      {"{\"a\" 1}", "a colon was expected (byte 6)"},
      {"01", "a number begins with 0 (byte 1)"},
      {"1.", "a number lacks its digits (byte 3)"},
      {"-", "a number lacks its digits (byte 2)"},
      {"+1", "a value was expected (byte 1)"},
      {"1e1000000000", "an exponent beyond 999999999 (byte 1)"},
      {"\"a", "it ends within a string (byte 3)"},
      {"\"a\nb\"", "a control character is in a string (byte 3)"},
      {"\"\xff\"", "a string is not valid UTF-8 (byte 2)"},
      {"\"\xed\xa0\x80\"", "a string is not valid UTF-8 (byte 2)"},
      {"\"\xc0\xaf\"", "a string is not valid UTF-8 (byte 2)"},
      {R"("\ud800")", "half of a surrogate pair (byte 2)"},
      {R"("\ud800\u0041")", "half of a surrogate pair (byte 2)"},
      {R"("\udc00")", "half of a surrogate pair (byte 2)"},
      {R"("\u12g4")", "an escape \\u lacks its four digits"},
      {R"("\q")", "a string has an unknown escape (byte 2)"},
      {"1 2", "more follows the end of the value (byte 3)"},
      {std::string_view{"1\0", 2}, "more follows the end of the value (byte 2)"},
  };
  for (const auto& [text, reason] : kCases) {
    const std::string key = json_key(text);
    EXPECT_TRUE(key.starts_with("error")) << text;
    EXPECT_THAT(key, HasSubstr(reason)) << text;
  }
}

TEST(JsonKey, RefusesNestingThatCouldExhaustTheStack) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(json_key(nested(JsonReader::kDeepest)), nested(JsonReader::kDeepest));
  EXPECT_THAT(json_key(nested(JsonReader::kDeepest + 1)), HasSubstr("nested deeper than 500"));
  EXPECT_THAT(json_key(nested(1'000'000)), HasSubstr("(byte 501)"));
  JsonReader skips{"[[{\"a\":[[1]]}],2]"};
  EXPECT_TRUE(skips.skip_value() && skips.end());
  const std::string deep = nested(1'000'000);
  EXPECT_FALSE(JsonReader{deep}.skip_value());
}

TEST(JsonKey, OfATypedKeyIsThatOfItsText) {
  const auto put = [](const AnyKey& key) {
    ByteSink sink;
    return put_key(FunnelName::kJson, key, sink) ? std::string{text_of(sink.bytes())} : "refused";
  };
  EXPECT_EQ(put(true), "t");
  EXPECT_EQ(put(-12), "d-12e0;");
  EXPECT_EQ(put(0.1), "d1e-1;");
  EXPECT_EQ(put(1e300), "d1e300;");
  EXPECT_EQ(put("\"text\""), "s4:text");
  EXPECT_EQ(put("text"), "refused");
  EXPECT_EQ(put(1.0 / 0.0), "refused");
}

}  // namespace
}  // namespace bloomery
