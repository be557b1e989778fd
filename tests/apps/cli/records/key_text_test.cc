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
