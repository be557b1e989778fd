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
  std::size_t fault = 0;
  const auto done = append(record, key, fault);
  ASSERT_TRUE(done) << record << ": " << done.error().message;
  EXPECT_EQ(key, bytes(expected)) << record;
}

struct Fault {
  const char* record;
  std::size_t byte;
};

template <class Append>
void expect_no_key(Append append, Fault expected) {
  Bytes key;
  std::size_t fault = 99;
  EXPECT_FALSE(append(expected.record, key, fault)) << expected.record;
  EXPECT_EQ(fault, expected.byte) << expected.record;
}

TEST(Hex, IsDecodedInBothCases) {
  expect_key(append_hex, "", "");
  expect_key(append_hex, "0x", "");
  expect_key(append_hex, "616243", "abC");
  expect_key(append_hex, "0X4a4B", "JK");
  for (const Fault fault : {Fault{"6", 0}, Fault{"0x6", 0}, Fault{"6g", 1}, Fault{"61 62", 0},
                            Fault{"zz", 0}, Fault{"0x0x", 3}, Fault{"0x61 2", 4}})
    expect_no_key(append_hex, fault);
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
  for (const Fault fault :
       {Fault{"Z", 0}, Fault{"Zg=", 0}, Fault{"Zm9v=", 0}, Fault{"Zm9v====", 4}, Fault{"=", 0},
        Fault{"Zh==", 1}, Fault{"Zm 9", 2}, Fault{"Zm9v\n", 0}, Fault{"Z=g=", 1}})
    expect_no_key(append_base64, fault);
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
