#include "apps/cli/records/key_text.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes(std::string_view text) {
  const ByteView view = bytes_of(text);
  return {view.begin(), view.end()};
}

template <class Append>
void expect_key(Append append, std::string_view record, std::string_view expected) {
  Bytes key;
  const auto done = append(record, key);
  ASSERT_TRUE(done) << record << ": " << done.error().message;
  EXPECT_EQ(key, bytes(expected)) << record;
}

template <class Append>
void expect_no_key(Append append, std::string_view record) {
  Bytes key;
  EXPECT_FALSE(append(record, key)) << record;
}

TEST(Hex, IsDecodedInBothCases) {
  expect_key(append_hex, "", "");
  expect_key(append_hex, "0x", "");
  expect_key(append_hex, "616243", "abC");
  expect_key(append_hex, "0X4a4B", "JK");
  for (const char* record : {"6", "0x6", "6g", "61 62", "zz", "0x0x"})
    expect_no_key(append_hex, record);
}

TEST(Base64, IsDecodedAsTheRfcSays) {  // RFC 4648, section 10
  expect_key(append_base64, "", "");
  expect_key(append_base64, "Zg==", "f");
  expect_key(append_base64, "Zm8=", "fo");
  expect_key(append_base64, "Zm9v", "foo");
  expect_key(append_base64, "Zm9vYg==", "foob");
  expect_key(append_base64, "Zm9vYmE=", "fooba");
  expect_key(append_base64, "Zm9vYmFy", "foobar");
  expect_key(append_base64, "Zm8", "fo");
  expect_key(append_base64, "-_-_", "\xfb\xff\xbf");
  for (const char* record :
       {"Z", "Zg=", "Zm9v=", "Zm9v====", "=", "Zh==", "Zm 9", "Zm9v\n", "Z=g="})
    expect_no_key(append_base64, record);
}

TEST(JsonKey, IsTheBytesOfAStringOrTheTextOfAValue) {
  const auto append_at = [](const char* pointer) {
    return [pointer](std::string_view record, Bytes& to) -> Status {
      const auto there = JsonKey::parse(pointer)->append(record, to);
      if (there && *there) return ok();
      return there ? Error{ErrorCode::kMalformed, "there is no value"} : there.error();
    };
  };
  expect_key(append_at("/user/id"), R"({"user": {"id": "m\u00fcller"}})", "m\xc3\xbcller");
  expect_key(append_at("/user/id"), R"({"user": {"id": 42}})", "42");
  expect_key(append_at("/a/1"), R"({"a": [1, {"b":  [true, null]}]})", R"({"b":[true,null]})");
  expect_key(append_at("/a~1b"), R"({"a/b": ""})", "");
  expect_key(append_at("/a/b~1c/1"), R"({"a": {"x": [1e5], "b/c": [1, 123456789012345678901]}})",
             "123456789012345678901");
  expect_key(append_at("/id"), R"({"id": 18446744073709551616})", "18446744073709551616");
  expect_key(append_at("/id"), R"({"id": 18446744073709551615})", "18446744073709551615");
  expect_key(append_at("/id"), R"({"id": 0.12345678901234567891})", "0.12345678901234567891");
  expect_key(append_at("/id"), R"({"id": 1.50})", "1.5");
  expect_key(append_at(""), R"( "whole" )", "whole");
  for (const char* record :
       {R"({"user": 1})", "{}", "[]", "not json", "", R"({"user":{"id":1})", "{} {}"})
    expect_no_key(append_at("/user/id"), record);
  expect_no_key(append_at("/-"), "[1]");
}

TEST(JsonKey, TellsARecordWithoutTheValueFromOneThatIsNoJson) {
  const JsonKey key = *JsonKey::parse("/id");
  Bytes to;
  for (const char* record : {"{}", R"({"id":null})", "[1]", "", "  ", "3", R"({"id":null} )"}) {
    const auto there = key.append(record, to);
    ASSERT_TRUE(there) << record;
    EXPECT_FALSE(*there) << record;
  }
  for (const std::string_view record :
       {std::string_view{"x"}, std::string_view{"{\"id\":1}\0x", 10}, std::string_view{"{"},
        std::string_view{"{\"id\":\"\xff\"}"}})
    EXPECT_FALSE(key.append(record, to)) << record;
  EXPECT_TRUE(to.empty());
}

TEST(JsonKey, RefusesNestingThatCouldExhaustTheStack) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  expect_no_key(
      [](std::string_view record, Bytes& to) { return JsonKey::parse("/0")->append(record, to); },
      deep);
}

TEST(JsonKey, RefusesWhatIsNoPointer) {
  for (const char* pointer : {"user", "/a~2", "/a~"})
    EXPECT_FALSE(JsonKey::parse(pointer)) << pointer;
}

TEST(ParseByte, UnderstandsEscapes) {
  const std::pair<const char*, int> cases[] = {{",", ','},    {"\\t", '\t'}, {"\\n", '\n'},
                                               {"\\0", 0},    {"\\", '\\'},  {"\\\\", '\\'},
                                               {"\\x1f", 31}, {"\xff", 0xff}};
  for (const auto& [text, expected] : cases) {
    const auto byte = parse_byte(text);
    ASSERT_TRUE(byte) << text;
    EXPECT_EQ(std::to_integer<int>(*byte), expected) << text;
  }
  for (const char* text : {"", "ab", "\\q", "\\xzz", "\xc3\xbc"})
    EXPECT_FALSE(parse_byte(text)) << text;
}

}  // namespace
}  // namespace bloomery::cli
