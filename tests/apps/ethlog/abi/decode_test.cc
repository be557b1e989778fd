#include "apps/ethlog/abi/decode.h"

#include <gtest/gtest.h>

#include "apps/ethlog/abi/event_set.h"

namespace bloomery::ethlog {
namespace {

AbiEvent event_of(std::string_view text) {
  auto event = parse_event(text);
  EXPECT_TRUE(event) << (event ? "" : event.error().message);
  return event ? std::move(*event) : AbiEvent{};
}

// 64 hexadecimal digits of a small number.
std::string word(std::uint64_t value) {
  std::string digits = to_quantity(value).substr(2);
  return std::string(64 - digits.size(), '0') + digits;
}
std::string left(std::string digits) { return digits + std::string(64 - digits.size(), '0'); }

Log log_of(const AbiEvent& event, std::vector<std::string> topics, const std::string& data) {
  Log log;
  if (!event.anonymous) log.topics.push_back(event.topic);
  for (const std::string& topic : topics) log.topics.push_back(*Topic::from_hex("0x" + topic));
  log.data = *bytes_from_hex("0x" + data);
  return log;
}

std::string decoded(std::string_view text, const std::string& data,
                    std::vector<std::string> topics = {}) {
  const AbiEvent event = event_of(text);
  const Log log = log_of(event, std::move(topics), data);
  const auto values = decode_log(event, log);
  if (!values) return values.error().message;
  std::string out;
  append_json_object(out, written_names(event.parameters), *values);
  return out;
}

TEST(AbiDecode, WritesEveryKindOfValue) {
  const std::string ones(64, 'f');
  EXPECT_EQ(
      decoded("E(uint8 a, int8 b, uint256 c, int256 d, bool e)",
              word(200) + ones + ones + ones + word(1)),
      R"({"a":200,"b":-1,"c":"115792089237316195423570985008687907853269984665640564039457584)"
      R"(007913129639935","d":"-1","e":true})");
  EXPECT_EQ(decoded("E(uint48 a, uint56 b)", word((1ULL << 48) - 1) + word(7)),
            R"({"a":281474976710655,"b":"7"})");
  EXPECT_EQ(decoded("E(int256 a, uint256 b)", left("8") + word(1'000'000'000)),
            R"({"a":"-578960446186580977117854925043439539266349923328202820197287920039565648199)"
            R"(68","b":"1000000000"})");
  EXPECT_EQ(decoded("E(address a, bytes4 b)",
                    word(0).substr(0, 24) + std::string(40, 'a') + left("01020304")),
            R"({"a":"0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","b":"0x01020304"})");
  EXPECT_EQ(decoded("E(string a, bytes b)",
                    word(64) + word(128) + word(3) + left("61220a") + word(1) + left("ff")),
            R"({"a":"a\"\u000a","b":"0xff"})");
  EXPECT_EQ(decoded("E((uint8 x, string y)[] a)",
                    word(32) + word(1) + word(32) + word(5) + word(64) + word(1) + left("7a")),
            R"({"a":[{"x":5,"y":"z"}]})");
  EXPECT_EQ(decoded("E(uint8[2][] a)", word(32) + word(2) + word(1) + word(2) + word(3) + word(4)),
            R"({"a":[[1,2],[3,4]]})");
}

TEST(AbiDecode, ShowsTheHashOfIndexedDynamicValues) {
  const std::string hash(64, 'c');
  EXPECT_EQ(
      decoded("E(string indexed a, uint8[] indexed b, uint8 indexed c)", "", {hash, hash, word(9)}),
      R"({"a":{"hash":"0x)" + hash + R"("},"b":{"hash":"0x)" + hash + R"("},"c":9})");
}

TEST(AbiDecode, ReadsAnonymousEvents) {
  EXPECT_EQ(decoded("E(uint8 indexed a, uint8 b) anonymous", word(4), {word(3)}),
            R"({"a":3,"b":4})");
}

TEST(AbiDecode, TakesWhatSolidityAndEthersTake) {
  // Bytes behind the last value; a last value without padding; offsets that meet.
  EXPECT_EQ(decoded("E(uint8 a)", word(1) + "ff"), R"({"a":1})");
  EXPECT_EQ(decoded("E(bytes a)", word(32) + word(2) + "abcd"), R"({"a":"0xabcd"})");
  EXPECT_EQ(decoded("E(bytes a, bytes b)", word(64) + word(64) + word(1) + left("ee")),
            R"({"a":"0xee","b":"0xee"})");
  EXPECT_EQ(decoded("E(uint256[] a)", word(0)), R"({"a":[]})");
}

TEST(AbiDecode, NamesWhatIsWrong) {
  const std::string end = " bytes";
  EXPECT_EQ(decoded("E(uint256 a, uint256 b)", word(1)),
            "it is no E(uint256,uint256): b: the data end at byte 32, before the word at byte 32");
  EXPECT_EQ(decoded("E(uint8 a)", word(256)),
            "it is no E(uint8): a: the word 0x" + word(256) + " is no uint8");
  EXPECT_EQ(decoded("E(int8 a)", word(128)),
            "it is no E(int8): a: the word 0x" + word(128) + " is no int8");
  EXPECT_EQ(decoded("E(bool)", word(2)),
            "it is no E(bool): arg0: the word 0x" + word(2) + " is no bool");
  EXPECT_EQ(decoded("E(bytes4 a)", left("0102030405")),
            "it is no E(bytes4): a: the word 0x" + left("0102030405") + " is no bytes4");
  EXPECT_EQ(
      decoded("E(bytes a)", word(33)),
      "it is no E(bytes): a: the offset 0x21 at byte 0 leads beyond the data, which have 32" + end);
  EXPECT_EQ(decoded("E(bytes a)", std::string(64, 'f')),
            "it is no E(bytes): a: the offset 0x" + std::string(64, 'f') +
                " at byte 0 leads beyond the data, which have 32" + end);
  EXPECT_EQ(
      decoded("E(bytes a)", word(32) + word(1)),
      "it is no E(bytes): a: the length 0x1 at byte 32 leads beyond the data, which have 64" + end);
  EXPECT_EQ(
      decoded("E(uint256[] a)", word(32) + word(2) + word(1)),
      "it is no E(uint256[]): a: the length 0x2 at byte 32 leads beyond the data, which have 96" +
          end);
  EXPECT_EQ(decoded("E(string a)", word(32) + word(1) + left("ff")),
            "it is no E(string): a: the string is not UTF-8");
  EXPECT_EQ(decoded("E((uint8 x, uint8[2] y) a)", word(1) + word(2) + word(999)),
            "it is no E((uint8,uint8[2])): a.y[1]: the word 0x" + word(999) + " is no uint8");
}

TEST(AbiDecode, SaysThatADeclarationMarksNoArgumentAsIndexed) {
  const auto complaint = [](std::string_view declaration, std::size_t topics) {
    const auto event = parse_event(declaration);
    Log log;
    for (std::size_t i = 0; i < topics; ++i) log.topics.push_back(event->topic);
    const auto values = decode_log(*event, log);
    return values ? "" : values.error().message;
  };
  EXPECT_EQ(complaint("E(address,address)", 3),
            "it is no E(address,address): it has 3 topics instead of 1; the declaration marks no "
            "argument as indexed");
  EXPECT_EQ(complaint("E(address indexed a,address)", 3),
            "it is no E(address,address): it has 3 topics instead of 2");
  EXPECT_EQ(complaint("E(address,address)", 0),
            "it is no E(address,address): it has 0 topics instead of 1");
}

TEST(AbiDecode, ComparesTopics) {
  EXPECT_EQ(decoded("E(uint8 indexed a)", "", {}),
            "it is no E(uint8): it has 1 topic instead of 2");
  const AbiEvent event = event_of("E(uint8 indexed a)");
  Log log = log_of(event_of("F(uint8 indexed a)"), {word(1)}, "");
  EXPECT_FALSE(decode_log(event, log));
}

// A list of lists of … that are one and the same list: 26 kB would become 10^16 values.
TEST(AbiDecode, BoundsValuesThatShareTheirData) {
  std::string data = word(32);
  for (int level = 0; level < 8; ++level) {
    data += word(100);
    for (int i = 0; i < 100; ++i) data += word(level < 7 ? 100 * 32 : 1);
  }
  EXPECT_NE(decoded("E(uint8[][][][][][][][] a)", data).find("the same data again and again"),
            std::string::npos);
}

TEST(AbiTopic, IsTheWordOfAValue) {
  const auto topic = [](std::string_view type, std::string_view text) {
    const AbiEvent event = event_of("E(" + std::string{type} + " indexed a)");
    const auto made = topic_of(event.parameters[0].type, text);
    return made ? made->hex().substr(2) : made.error().message;
  };
  EXPECT_EQ(topic("uint8", "255"), word(255));
  EXPECT_EQ(topic("uint8", "0xff"), word(255));
  EXPECT_EQ(topic("uint8", "256"), "'256' does not fit uint8");
  EXPECT_EQ(topic("uint8", "-1"), "'-1' is no uint8; give a number, decimal or 0x and digits");
  EXPECT_EQ(topic("int8", "-128"), std::string(62, 'f') + "80");
  EXPECT_EQ(topic("int8", "127"), word(127));
  EXPECT_EQ(topic("int8", "128"), "'128' does not fit int8");
  EXPECT_EQ(topic("int8", "-129"), "'-129' does not fit int8");
  EXPECT_EQ(topic("int256", "-0"), word(0));
  EXPECT_EQ(
      topic("uint256", "0x1" + std::string(64, '0')),
      "'0x1" + std::string(64, '0') + "' is no uint256; give a number, decimal or 0x and digits");
  EXPECT_EQ(topic("bool", "true"), word(1));
  EXPECT_EQ(topic("bool", "1"), "'1' is no bool; give true or false");
  EXPECT_EQ(topic("address", "0x" + std::string(40, 'b')),
            std::string(24, '0') + std::string(40, 'b'));
  EXPECT_EQ(topic("bytes2", "0xabcd"), left("abcd"));
  EXPECT_EQ(topic("bytes2", "0xab"), "'0xab' is no bytes2; give 0x and 4 hexadecimal digits");
  EXPECT_EQ(topic("string", "Transfer(address,address,uint256)"),
            "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
  EXPECT_EQ(topic("uint8[]", "0x" + std::string(64, 'a')), std::string(64, 'a'));
  EXPECT_EQ(topic("uint8[]", "[1]"),
            "'[1]' is no uint8[]; give the hash that stands in the topic: 0x and 64 digits");
}

EventSet set_of(std::vector<std::string_view> texts, std::vector<ArgumentFilter> filters = {}) {
  std::vector<AbiEvent> events;
  for (const std::string_view text : texts) events.push_back(event_of(text));
  auto set = EventSet::make(std::move(events), filters);
  EXPECT_TRUE(set) << (set ? "" : set.error().message);
  return std::move(*set);
}

TEST(EventSet, NarrowsTheQuery) {
  EventSet set =
      set_of({"A(uint8 indexed x)", "B(uint8 indexed x, uint8 indexed y)"}, {{"x", {"1", "2"}}});
  LogQuery query;
  ASSERT_TRUE(set.narrow(query));
  ASSERT_EQ(query.topics.size(), 2U);
  EXPECT_EQ(query.topics[0].size(), 2U);
  EXPECT_EQ(query.topics[1].size(), 4U);  // the values of both events
}

TEST(EventSet, AnAnonymousEventLeavesTheFirstTopicOpen) {
  EventSet set = set_of({"A(uint8 indexed x)", "B(uint8 indexed y) anonymous"});
  LogQuery query;
  ASSERT_TRUE(set.narrow(query));
  EXPECT_TRUE(query.topics.empty());
  const Log anonymous = log_of(set.events()[1], {word(5)}, "");
  ASSERT_TRUE(set.decode(anonymous));
  EXPECT_EQ(set.decode(anonymous)->event, 1U);
  EXPECT_FALSE(set.wants(log_of(event_of("C(uint8 indexed x)"), {word(1)}, "")));
}

TEST(EventSet, RefusesContradictions) {
  EventSet set = set_of({"A(uint8 indexed x)"}, {{"x", {"1"}}});
  LogQuery query;
  query.topics = {{event_of("B()").topic}};
  EXPECT_EQ(set.narrow(query).error().message,
            "topic 0 of A(uint8) is " + set.events()[0].topic.hex() +
                ", which --topic excludes; give '*' for the first --topic, or leave it out");
  query.topics = {{}, {*Topic::from_hex("0x" + word(2))}};
  EXPECT_EQ(set.narrow(query).error().message,
            "no log can have both the value of --arg and that of --topic number 2");
  query.topics = {{set.events()[0].topic}, {}};
  EXPECT_TRUE(set.narrow(query));
}

TEST(EventSet, TellsEventsOfOneSignatureApart) {
  const EventSet set = set_of({"T(address indexed a, address indexed b, uint256 c)",
                               "T(address indexed a, address indexed b, uint256 indexed c)",
                               "T(address indexed from, address indexed to, uint256 value)"});
  ASSERT_EQ(set.events().size(), 2U);  // the third is the first
  const Log four = log_of(set.events()[1], {word(1), word(2), word(3)}, "");
  ASSERT_TRUE(set.decode(four));
  EXPECT_EQ(set.decode(four)->event, 1U);
  const auto ambiguous = EventSet::make(
      {event_of("T(uint8 indexed a, uint8 b)"), event_of("T(uint8 a, uint8 indexed b)")}, {});
  ASSERT_FALSE(ambiguous);
  EXPECT_EQ(
      ambiguous.error().message,
      "no log can tell T(uint8 a, uint8 indexed b) from T(uint8 indexed a, uint8 b); give one "
      "of them");
}

TEST(EventSet, FiltersByArguments) {
  const EventSet set = set_of({"A(uint8 indexed x, uint8 indexed y)"}, {{"y", {"7"}}});
  EXPECT_TRUE(set.wants(log_of(set.events()[0], {word(1), word(7)}, "")));
  EXPECT_FALSE(set.wants(log_of(set.events()[0], {word(7), word(1)}, "")));
  const auto why = [](std::vector<ArgumentFilter> filters) {
    const auto made = EventSet::make({event_of("A(uint8 indexed x, uint8 y)")}, filters);
    return made ? "no error" : made.error().message;
  };
  EXPECT_EQ(
      why({{"z", {"1"}}}),
      "the event A(uint8 indexed x, uint8 y) has no argument 'z'; indexed ones can be searched "
      "for, and these are: x");
  EXPECT_EQ(why({{"y", {"1"}}}),
            "the argument 'y' of A(uint8 indexed x, uint8 y) is not indexed, and only indexed ones "
            "can be searched for; these are: x");
  EXPECT_EQ(why({{"x", {"300"}}}), "x: '300' does not fit uint8");
}

}  // namespace
}  // namespace bloomery::ethlog
