#include "apps/cli/documents/json_text.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

std::string fault_of(std::string_view record) {
  const auto finder = JsonTextFinder::make("/a/1/text", "d");
  JsonDocument found;
  const auto fault = finder->find(record, found);
  return fault ? fault->why : found.has_text ? "" : "missing";
}

TEST(JsonTextFinder, FindsTheTextByItsPointer) {
  const auto finder = JsonTextFinder::make("/a/1/text", "d");
  const std::string_view record = R"( {"text":1,"a":[{},{"te\u0078t":"x\ny"}],"d":0} )";
  JsonDocument found;
  ASSERT_FALSE(finder->find(record, found));
  ASSERT_TRUE(found.has_text);
  EXPECT_EQ(record.substr(found.text_begin, found.text_end - found.text_begin), R"(x\ny)");
  EXPECT_TRUE(found.has_attribute);
  EXPECT_EQ(record[found.object_end], '}');
}

TEST(JsonTextFinder, RefusesWhatIsNotJson) {
  for (const char* record : {"{", "[1,]", "{\"a\":01}", "{\"a\":\"\\x\"}", "{\"a\":\"\t\"}", "1 2",
                             "nul", "{\"a\" 1}", "{\"a\":\"\\u12\"}", "-", "\xef\xbb\xbf{}"})
    EXPECT_TRUE(fault_of(record).starts_with("it is not JSON")) << record;
  EXPECT_NE(fault_of(std::string(600, '[')).find("nested"), std::string::npos);
  EXPECT_NE(fault_of(R"({"a":1,"a":2})").find("twice"), std::string::npos);
  EXPECT_EQ(fault_of(R"({"a":[0,{"text":null}]})"), "missing");
  EXPECT_FALSE(JsonTextFinder::make("text", "d"));
}

TEST(AppendUnescaped, ReplacesWhatIsNotUtf8) {
  std::string text;
  EXPECT_EQ(append_unescaped(R"(\ud83d\ude00\/)", text), std::nullopt);
  EXPECT_EQ(text, "\xf0\x9f\x98\x80/");
  text.clear();
  EXPECT_EQ(append_unescaped("a\xe2\x82z\\ud800", text), 1U);
  EXPECT_EQ(text, "a\xef\xbf\xbdz\xef\xbf\xbd");
}

TEST(ToRawRanges, CutsBetweenEscapes) {
  std::vector<TextRange> ranges{{0, 3}, {4, 8}};
  to_raw_ranges(R"(a\u00e9\n\ud83d\ude00b)", ranges);
  EXPECT_EQ(ranges[0].end, 7U);
  EXPECT_EQ(ranges[1].begin, 9U);
  EXPECT_EQ(ranges[1].end, 21U);
}

}  // namespace
}  // namespace bloomery::cli
