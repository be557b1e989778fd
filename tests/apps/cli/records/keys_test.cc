#include "apps/cli/records/keys.h"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "apps/cli/shell/parse.h"

namespace bloomery::cli {
namespace {

std::vector<std::string> keys_of(const RecordOptions& options, std::vector<std::string> records,
                                 ByteOrder order = ByteOrder::kLittle) {
  std::vector<ByteView> views;
  for (const std::string& record : records) views.push_back(bytes_of(record));
  KeyReader reader{options, order};
  const auto keys = reader.keys(views);
  if (!keys) return {"error at " + std::to_string(reader.failed()) + ": " + keys.error().message};
  std::vector<std::string> texts;
  for (const ByteView key : *keys) texts.emplace_back(text_of(key));
  return texts;
}

TEST(KeyReader, HandsARecordOnAsItIs) {
  const std::vector<std::string> records{"a", "", std::string("nul\0inside", 10)};
  EXPECT_EQ(keys_of({}, records), records);
}

TEST(KeyReader, TakesFieldsThenDecodesThem) {
  RecordOptions options;
  options.fields = *parse_fields("2");
  options.separator = std::byte{','};
  options.hex = true;
  EXPECT_EQ(keys_of(options, {"x,6162", "y,", "z,0x63,9"}),
            (std::vector<std::string>{"ab", "", "c"}));
}

TEST(KeyReader, EndsAtTheFirstRecordWithoutItsKey) {
  RecordOptions options;
  options.fields = *parse_fields("2");
  EXPECT_EQ(keys_of(options, {"a\tb", "c", "d\te"}),
            (std::vector<std::string>{
                "error at 1: it has no field 2, only 1 (the separator is tab; -t sets another); "
                "--missing skip leaves such records out (byte 2)"}));
  options.separator = std::byte{','};
  options.prints_without_key = true;
  EXPECT_EQ(keys_of(options, {"a;b"}),
            (std::vector<std::string>{
                "error at 0: it has no field 2, only 1 (the separator is ','; -t sets another); "
                "--missing skip prints such records as they are (byte 4)"}));
  options.separator = std::byte{0x1f};
  EXPECT_NE(keys_of(options, {"a"})[0].find("the separator is byte 0x1f;"), std::string::npos);
  options = {};
  options.json_key = *JsonKeys::parse("/id");
  EXPECT_EQ(keys_of(options, {R"({"id":1})", R"({"no":1})"}),
            (std::vector<std::string>{
                "error at 1: it has no value at /id; --missing skip leaves such records out"}));
  KeyReader reader{options, ByteOrder::kLittle};
  const std::vector<ByteView> records{bytes_of(R"({"id":"x"})"), bytes_of("{}")};
  ASSERT_FALSE(reader.keys(records));
  ASSERT_EQ(reader.keys_before().size(), 1U);
  EXPECT_EQ(text_of(reader.keys_before()[0]), "x");
}

TEST(KeyReader, SkipsRecordsWithoutTheirKey) {
  RecordOptions options;
  options.fields = *parse_fields("2");
  options.missing = MissingKey::kSkip;
  KeyReader reader{options, ByteOrder::kLittle};
  const std::vector<ByteView> records{bytes_of("a\tb"), bytes_of("c"), bytes_of("d\t")};
  const auto keys = reader.keys(records);
  ASSERT_TRUE(keys);
  EXPECT_EQ((std::vector<std::uint8_t>{reader.has_key().begin(), reader.has_key().end()}),
            (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(text_of((*keys)[0]), "b");
  EXPECT_EQ(text_of((*keys)[2]), "");
  ASSERT_TRUE(reader.keys(std::span{records}.first(1)));
  EXPECT_TRUE(reader.has_key().empty());
  options.hex = true;  // a record without a key is not decoded either
  EXPECT_EQ(keys_of(options, {"x", "y\t61"}), (std::vector<std::string>{"", "a"}));
}

TEST(KeyReader, TakesWhatLacksAsEmptyWhenAsked) {
  RecordOptions options;
  options.fields = *parse_fields("1,3");
  options.missing = MissingKey::kEmpty;
  EXPECT_EQ(keys_of(options, {"a\tb\tc", "a\tb", ""}), (std::vector<std::string>{"a\tc", "a", ""}));
  options = {};
  options.json_key = *JsonKeys::parse("/id");
  options.missing = MissingKey::kEmpty;
  EXPECT_EQ(keys_of(options, {R"({"id":1})", "{}", ""}), (std::vector<std::string>{"1", "", ""}));
}

TEST(KeyReader, JoinsSeveralJsonValuesWithTheirLengths) {
  RecordOptions options;
  options.json_key = *JsonKeys::parse("/a,/b");
  EXPECT_EQ(keys_of(options, {R"({"a":"x","b":12})", R"({"a":"x1:","b":2})", R"({"b":"","a":""})"}),
            (std::vector<std::string>{"1:x2:12", "3:x1:1:2", "0:0:"}));
  EXPECT_EQ(keys_of(options, {R"({"a":1,"b":null})"}),
            (std::vector<std::string>{
                "error at 0: it has no value at /b; --missing skip leaves such records out"}));
  options.missing = MissingKey::kEmpty;
  EXPECT_EQ(keys_of(options, {R"({"a":1,"b":null})", R"({"b":1})"}),
            (std::vector<std::string>{"1:10:", "0:1:1"}));
  options.missing = MissingKey::kSkip;
  EXPECT_EQ(keys_of(options, {R"({"a":1})", R"({"a":1,"b":2})"}),
            (std::vector<std::string>{"", "1:11:2"}));
}

TEST(KeyReader, KeepsTheTypesOfJsonValues) {
  RecordOptions options;
  options.funnel = FunnelName::kJson;
  EXPECT_EQ(keys_of(options, {"1.0", "\"1\"", "null", "[true]"}),
            (std::vector<std::string>{"d1e0;", "s1:1", "n", "[t]"}));
  options.json_key = *JsonKeys::parse("/a,/b");
  EXPECT_EQ(keys_of(options, {R"({"a":null,"b":{"y":1,"x":"z"}})"}),
            (std::vector<std::string>{"n{s1:xs1:zs1:yd1e0;}"}));
  EXPECT_EQ(keys_of(options, {R"({"a":1})"})[0].substr(0, 36),
            "error at 0: it has no value at /b; -");
  EXPECT_EQ(keys_of(options, {R"({"a":1,  "b":{"c":1,"c":2}})"})[0],
            "error at 0: the member \"c\" occurs twice in an object, and readers disagree on which "
            "of the two counts (byte 21)");
  options.missing = MissingKey::kEmpty;
  EXPECT_EQ(keys_of(options, {R"({"a":1})", R"({"b":null})", ""}),
            (std::vector<std::string>{"d1e0;u", "un", "uu"}));
  options.missing = MissingKey::kSkip;
  EXPECT_EQ(keys_of(options, {R"({"a":1})", R"({"a":1,"b":2})"}),
            (std::vector<std::string>{"", "d1e0;d2e0;"}));
}

TEST(KeyReader, TrimsAndFoldsKeysNotRecords) {
  RecordOptions options;
  options.trim = true;
  EXPECT_EQ(keys_of(options, {" a b\t\r", "", " \v\f "}),
            (std::vector<std::string>{"a b", "", ""}));
  options.ignore_case = true;
  EXPECT_EQ(keys_of(options, {" Ab "}), (std::vector<std::string>{"ab"}));
  options.fields = *parse_fields("2");
  EXPECT_EQ(keys_of(options, {"X\t Y "}), (std::vector<std::string>{"y"}));
  options.fields.clear();
  options.json_key = *JsonKeys::parse("/a,/b");
  EXPECT_EQ(keys_of(options, {R"({"a":" X","b":"Y "})"}), (std::vector<std::string>{"1:x1:y"}));
  options = {};
  options.ignore_case = options.hex = true;
  EXPECT_EQ(keys_of(options, {"4A"}), (std::vector<std::string>{"J"}));
}

TEST(KeyReader, RefusesOptionsThatChangeTypedKeys) {
  RecordOptions options;
  options.funnel = FunnelName::kJson;
  EXPECT_TRUE(check_key_options(options));
  for (bool RecordOptions::*option : {&RecordOptions::hex, &RecordOptions::base64,
                                      &RecordOptions::trim, &RecordOptions::ignore_case}) {
    RecordOptions both = options;
    both.*option = true;
    EXPECT_FALSE(check_key_options(both));
  }
  options.fields = *parse_fields("1");
  EXPECT_FALSE(check_key_options(options));
  options = {};
  options.json_key = *JsonKeys::parse("/a,/b");
  options.hex = true;
  EXPECT_FALSE(check_key_options(options));
  options.json_key = *JsonKeys::parse("/a");
  EXPECT_TRUE(check_key_options(options));
}

TEST(KeyReader, RefusesQuotedFieldsOfTablesOnly) {
  RecordOptions options;
  options.fields = *parse_fields("1");
  for (const char separator : {',', ';', '\t'}) {
    options.separator = static_cast<std::byte>(separator);
    EXPECT_EQ(keys_of(options, {"\"a\""})[0].substr(0, 17), "error at 0: field");
  }
  options.plain_quotes = true;
  EXPECT_EQ(keys_of(options, {"\"a\""}), (std::vector<std::string>{"\"a\""}));
  options.plain_quotes = false;
  options.separator = std::byte{':'};
  EXPECT_EQ(keys_of(options, {"\"a\":b"}), (std::vector<std::string>{"\"a\""}));
}

TEST(KeyReader, LeavesTheCarriageReturnOutWhenAsked) {
  RecordOptions options;
  EXPECT_EQ(keys_of(options, {"a\r"}), (std::vector<std::string>{"a\r"}));
  options.crlf = true;
  EXPECT_EQ(keys_of(options, {"a\r", "b", "\r", "c\r\r"}),
            (std::vector<std::string>{"a", "b", "", "c\r"}));
  options.fields = *parse_fields("2");
  EXPECT_EQ(keys_of(options, {"a\tb\r"}), (std::vector<std::string>{"b"}));
}

TEST(KeyReader, SaysWhichRecordIsNoKey) {
  RecordOptions options;
  options.hex = true;
  const auto keys = keys_of(options, {"61", "62", "6"});
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0].substr(0, 11), "error at 2:");
}

// The end of the message of the only record.
std::string place_of(const RecordOptions& options, const std::string& record) {
  const auto keys = keys_of(options, {record});
  return keys.empty() ? "no error" : keys[0].substr(std::min(keys[0].size(), keys[0].rfind(" (")));
}

TEST(KeyReader, SaysWhichByteOfTheRecordIsNoKey) {
  RecordOptions options;
  options.hex = true;
  options.crlf = true;
  EXPECT_EQ(place_of(options, "61zz62"), " (byte 3)");
  EXPECT_EQ(place_of(options, "0x6\r"), " (byte 1)");
  options.trim = options.ignore_case = true;
  EXPECT_EQ(place_of(options, " \tABCz "), " (byte 6)");
  EXPECT_EQ(place_of(options, "  6 "), " (byte 3)");
  options = {};
  options.base64 = true;
  options.separator = std::byte{','};
  options.fields = *parse_fields("2,4");
  EXPECT_EQ(place_of(options, "a,Zm9,b,9v"), " (byte 6)");  // the separator between the fields
  EXPECT_EQ(place_of(options, "a,Zm9v,b,x"), " (byte 7)");
  EXPECT_EQ(place_of(options, "a,Z!9v,b,x,c"), " (byte 4)");
  EXPECT_EQ(place_of(options, "a,b,c"), " (byte 6)");        // no field 4: where it ends
  EXPECT_EQ(place_of(options, "a,\"b\",c,d"), " (byte 3)");  // quotes are refused
  options = {};
  options.funnel = FunnelName::kI32;
  options.fields = *parse_fields("2");
  EXPECT_EQ(place_of(options, "one\ttwo"), " (byte 5)");
  options.fields.clear();
  options.json_key = *JsonKeys::parse("/n");
  EXPECT_EQ(place_of(options, R"({"m":1,"n":"two"})"), " (byte 12)");
}

TEST(KeyReader, PoursNumbersInTheByteOrderOfTheFormat) {
  RecordOptions options;
  options.funnel = FunnelName::kI16;
  EXPECT_EQ(keys_of(options, {"258"}), (std::vector<std::string>{"\x02\x01"}));
  EXPECT_EQ(keys_of(options, {"258"}, byte_order_of("eventhorizon:x64")),
            (std::vector<std::string>{"\x01\x02"}));
  EXPECT_EQ(byte_order_of("guava"), ByteOrder::kLittle);
}

TEST(KeyReader, KeepsOnlyTheSignOfAnI16WhenAskedForTheDefect) {
  RecordOptions options;
  options.funnel = FunnelName::kI16;
  options.csharp_exact = true;
  EXPECT_EQ(keys_of(options, {"258", "-1", "-300", "0"}, ByteOrder::kBig),
            (std::vector<std::string>{std::string(2, '\0'), "\xff\xff", "\xff\xff",
                                      std::string(2, '\0')}));
}

TEST(RecordOptions, AreParsed) {
  const auto parsed = [](const std::string& line, RecordOptions& options) {
    CommandLine command{"query", ""};
    add_record_options(command, options);
    std::istringstream in{line};
    const std::vector<std::string> words{std::istream_iterator<std::string>{in}, {}};
    return parse(command, words).error;
  };
  RecordOptions options;
  EXPECT_EQ(parsed("-D , -f -3 -t : --funnel utf16", options), "");
  EXPECT_EQ(options.delimiter, std::byte{','});
  EXPECT_EQ(options.separator, std::byte{':'});
  ASSERT_EQ(options.fields.size(), 1U);
  EXPECT_EQ(options.fields[0].last, 3U);
  EXPECT_EQ(options.funnel, FunnelName::kUtf16);
  for (const char* wrong :
       {"-D ab", "-z -D ,", "-t ,", "--funnel user", "--hex --base64", "-f 0", "--json-key id",
        "--json-key /id -f 1", "--missing no", "--quotes plain", "-f 1 --quotes no", "-Z rar"}) {
    RecordOptions ignored;
    EXPECT_NE(parsed(wrong, ignored), "") << wrong;
  }
}

}  // namespace
}  // namespace bloomery::cli
