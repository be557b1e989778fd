#include "apps/cli/records/json_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

using ::testing::HasSubstr;

// The untyped keys, "-" for one that is not there.
std::string keys_at(const std::string& pointers, std::string_view record) {
  const auto keys = JsonKeys::parse(pointers);
  if (!keys) return "no pointers: " + keys.error().message;
  JsonKeys::Values values;
  if (const auto found = keys->find(record, values); !found)
    return "error: " + found.error().message;
  std::string all;
  for (const auto& value : values) {
    if (!all.empty()) all += '|';
    if (!value) {
      all += '-';
    } else if (auto done = append_json_text(
                   *value, static_cast<std::size_t>(value->data() - record.data()), all);
               !done) {
      return "error: " + done.error().message;
    }
  }
  return all;
}

TEST(JsonKeys, AreTheBytesOfAStringOrTheTextOfAValue) {
  EXPECT_EQ(keys_at("/user/id", R"({"user": {"id": "m\u00fcller"}})"), "m\xc3\xbcller");
  EXPECT_EQ(keys_at("/user/id", R"({"user": {"id": 42}})"), "42");
  EXPECT_EQ(keys_at("/a/1", R"({"a": [1, {"b":  [true, null]}]})"), R"({"b":[true,null]})");
  EXPECT_EQ(keys_at("/a", R"({"a": {"z":1, "b":1.50}})"), R"({"b":1.5,"z":1})");
  EXPECT_EQ(keys_at("/a~1b", R"({"a/b": "x"})"), "x");
  EXPECT_EQ(keys_at("/a/b~1c/1", R"({"a": {"x": [1e5], "b/c": [1, 123456789012345678901]}})"),
            "123456789012345678901");
  EXPECT_EQ(keys_at("/id", R"({"id": 18446744073709551616})"), "18446744073709551616");
  EXPECT_EQ(keys_at("/id", R"({"id": 18446744073709551615})"), "18446744073709551615");
  EXPECT_EQ(keys_at("/id", R"({"id": 0.12345678901234567891})"), "0.12345678901234567891");
  EXPECT_EQ(keys_at("/id", R"({"id": 1.50})"), "1.5");
  EXPECT_EQ(keys_at("/id", R"({"id": 1.0})"), "1.0");
  EXPECT_EQ(keys_at("/id", R"({"id": -0})"), "0");
  EXPECT_EQ(keys_at("/id", R"({"id": 1e999})"), "1e999");
  EXPECT_EQ(keys_at("", R"( "whole" )"), "whole");
  EXPECT_EQ(keys_at("/\xc3\xbc", R"({"\u00fc": 1})"), "1");
}

TEST(JsonKeys, AreAsManyAsThePointers) {
  constexpr std::string_view kRecord = R"({"b": {"c": 1, "d": [5, 6]}, "a,b": 2, "x": "y"})";
  EXPECT_EQ(keys_at("/b/c,/x", kRecord), "1|y");
  EXPECT_EQ(keys_at("/x,/b/c,/x", kRecord), "y|1|y");
  EXPECT_EQ(keys_at("/a~2b,/b/d/1", kRecord), "2|6");
  EXPECT_EQ(keys_at("/b,/b/d/0", kRecord), R"({"c":1,"d":[5,6]}|5)");
  EXPECT_EQ(keys_at("/b/d/00,/b/d/-,/b/d/2,/x/y,/q", kRecord), "-|-|-|-|-");
}

TEST(JsonKeys, OfABlankRecordAreNot) {
  for (const char* record : {"", "  ", "\r", "{}", "[1]", "3", R"({"no":1})"})
    EXPECT_EQ(keys_at("/id", record), "-") << record;
}

TEST(JsonKeys, RefuseRecordsThatAreNoJsonAnywhere) {
  for (const std::string_view record :
       {std::string_view{"x"}, std::string_view{"{\"id\":1}\0x", 10}, std::string_view{"{"},
        std::string_view{"{\"id\":\"\xff\"}"}, std::string_view{R"({"id":1,"no":tru})"},
        std::string_view{R"({"id":1,"no":[1,]})"}, std::string_view{R"({"id":1} {})"},
        std::string_view{R"({"id":1,"no":"\ud800"})"}, std::string_view{"\xef\xbb\xbf{}"}})
    EXPECT_THAT(keys_at("/id", record), HasSubstr("it is not JSON")) << record;
  EXPECT_THAT(keys_at("/id", R"({"id":1,"no":[1,]})"), HasSubstr("(byte 17)"));
  EXPECT_THAT(keys_at("/0", std::string(1'000'000, '[')), HasSubstr("nested deeper than 500"));
}

TEST(JsonKeys, RefuseAMemberOnTheWayThatOccursTwice) {
  EXPECT_THAT(keys_at("/id", R"({"id":1,"id":2})"), HasSubstr("\"id\" occurs twice"));
  EXPECT_THAT(keys_at("/a/b", R"({"a":{"b":1},"\u0061":2})"), HasSubstr("occurs twice"));
  EXPECT_THAT(keys_at("/a", R"({"a":{"b":1,"b":2}})"), HasSubstr("(byte 13)"));
  EXPECT_EQ(keys_at("/id", R"({"id":1,"no":2,"no":3})"), "1");
}

TEST(JsonKeys, RefuseWhatIsNoPointer) {
  for (const char* pointer : {"user", "/a~3", "/a~", "/a,b", "/a,", ",/a", "/a,,/b"})
    EXPECT_THAT(keys_at(pointer, "{}"), HasSubstr("is not a JSON Pointer")) << pointer;
  std::string many = "/a";
  for (std::size_t i = 1; i < JsonKeys::kMost; ++i) many += ",/a";
  EXPECT_TRUE(JsonKeys::parse(many));
  EXPECT_FALSE(JsonKeys::parse(many + ",/a"));
}

}  // namespace
}  // namespace bloomery::cli
