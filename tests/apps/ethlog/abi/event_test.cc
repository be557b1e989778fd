#include "apps/ethlog/abi/event.h"

#include <gtest/gtest.h>

namespace bloomery::ethlog {
namespace {

constexpr const char* kTransferTopic =
    "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

std::string signature_of(std::string_view text) {
  const auto event = parse_event(text);
  return event ? event->signature : event.error().message;
}

TEST(AbiEvent, IsReadAsSolidityDeclaresIt) {
  const auto event =
      parse_event("event Transfer(address indexed from, address indexed to, uint256 value);");
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->signature, "Transfer(address,address,uint256)");
  EXPECT_EQ(event->topic.hex(), kTransferTopic);
  EXPECT_EQ(event->topics(), 3U);
  ASSERT_EQ(event->parameters.size(), 3U);
  EXPECT_EQ(event->parameters[0].name, "from");
  EXPECT_TRUE(event->parameters[1].indexed);
  EXPECT_FALSE(event->parameters[2].indexed);
  EXPECT_EQ(declaration_of(*event),
            "Transfer(address indexed from, address indexed to, uint256 value)");
}

TEST(AbiEvent, HasACanonicalSignature) {
  EXPECT_EQ(signature_of("E()"), "E()");
  EXPECT_EQ(signature_of(" E ( uint , int[ ] ) "),
            "' E ( uint , int[ ] ) ': '[ ]' is no length of an array");
  EXPECT_EQ(signature_of("E(uint, int, byte)"), "E(uint256,int256,bytes1)");
  EXPECT_EQ(signature_of("E((uint a, string b)[] x)"), "E((uint256,string)[])");
  EXPECT_EQ(signature_of("E(tuple(uint,(bytes b)[2] c)[3][] indexed x)"),
            "E((uint256,(bytes)[2])[3][])");
  EXPECT_EQ(signature_of("$a_1(function f, bytes24 g)"), "$a_1(function,bytes24)");
  EXPECT_EQ(signature_of("event(uint a)"),
            "'event(uint a)': the name of an event is expected at byte 5");
}

TEST(AbiEvent, MayBeAnonymous) {
  const auto event =
      parse_event("E(uint indexed a, uint indexed b, uint indexed c, string indexed d) anonymous");
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_TRUE(event->anonymous);
  EXPECT_EQ(event->topics(), 4U);
  EXPECT_EQ(
      signature_of("E(uint indexed a, uint indexed b, uint indexed c, string indexed d)"),
      "'E(uint indexed a, uint indexed b, uint indexed c, string indexed d)': 4 arguments are "
      "indexed; an event has at most 3");
}

TEST(AbiEvent, IsRefusedWithThePlaceAndTheReason) {
  EXPECT_EQ(signature_of(""), "'': the name of an event is expected at byte 0");
  EXPECT_EQ(signature_of("E"), "'E': '(' is expected at byte 1");
  EXPECT_EQ(signature_of("E(uint256 a"), "'E(uint256 a': ',' or ')' is expected at byte 11");
  EXPECT_EQ(signature_of("E(adress a)"), "'E(adress a)': unknown type 'adress'");
  EXPECT_EQ(
      signature_of("E(IERC20 a)"),
      "'E(IERC20 a)': unknown type 'IERC20'; write address for a contract, uint8 for an enum, "
      "and (…) for a struct");
  EXPECT_EQ(signature_of("E(uint7 a)"), "'E(uint7 a)': unknown type 'uint7'");
  EXPECT_EQ(signature_of("E(uint264 a)"), "'E(uint264 a)': unknown type 'uint264'");
  EXPECT_EQ(signature_of("E(uint08 a)"), "'E(uint08 a)': unknown type 'uint08'");
  EXPECT_EQ(signature_of("E(bytes33 a)"), "'E(bytes33 a)': unknown type 'bytes33'");
  EXPECT_EQ(signature_of("E(fixed128x18 a)"),
            "'E(fixed128x18 a)': unknown type 'fixed128x18'; fixed-point numbers have no encoding "
            "in the compilers of today");
  EXPECT_EQ(signature_of("E(uint[0] a)"), "'E(uint[0] a)': an array has at least 1 element");
  EXPECT_EQ(signature_of("E(() a)"), "'E(() a)': a tuple has at least 1 member");
  EXPECT_EQ(signature_of("E((uint indexed a) b)"),
            "'E((uint indexed a) b)': a member of a tuple cannot be indexed");
  EXPECT_EQ(signature_of("E(uint a) returns (uint)"),
            "'E(uint a) returns (uint)': 'anonymous' or the end is expected at byte 9");
}

TEST(AbiEvent, HasBoundedTypes) {
  std::string deep = "E(uint256";
  for (int i = 0; i < 20; ++i) deep += "[]";
  EXPECT_NE(signature_of(deep + ")").find("nested deeper than 16 levels"), std::string::npos);
  EXPECT_NE(signature_of("E" + std::string(50'000, '(')).find("nested deeper than 16 levels"),
            std::string::npos);
  EXPECT_NE(signature_of("E(uint[4294967296][4294967296] a)").find("larger than a log can be"),
            std::string::npos);
  EXPECT_NE(signature_of("E(uint[18446744073709551616] a)").find("no length of an array"),
            std::string::npos);
  EXPECT_NE(signature_of(std::string(70'000, 'E')).find("longer than 65536 bytes"),
            std::string::npos);
  std::string wide = "E(uint";
  for (int i = 0; i < 2000; ++i) wide += ",uint";
  EXPECT_NE(signature_of(wide + ")").find("more than 1024 arguments"), std::string::npos);
}

TEST(AbiEvent, NamesAreWrittenOnce) {
  const auto event = parse_event("E(uint, uint a, uint a, uint arg0)");
  ASSERT_TRUE(event);
  EXPECT_EQ(written_names(event->parameters),
            (std::vector<std::string>{"arg0", "a", "a_", "arg0_"}));
}

constexpr std::string_view kEntries = R"([
  {"type":"constructor","inputs":[]},
  {"type":"function","name":"f","inputs":[{"type":"nonsense","name":"x"}]},
  {"type":"event","name":"Transfer","anonymous":false,"inputs":[
    {"name":"from","type":"address","indexed":true,"internalType":"address"},
    {"name":"to","type":"address","indexed":true},{"name":"value","type":"uint256","indexed":false}]},
  {"type":"event","name":"Transfer","inputs":[{"name":"a","type":"tuple[2][]","components":[
    {"name":"b","type":"uint8"},{"name":"c","type":"string[]"}]}]}])";

TEST(AbiJson, HasTheEventsOfAListAndOfAnArtifact) {
  for (const std::string& text :
       {std::string{kEntries}, R"({"bytecode":"0x60","abi":)" + std::string{kEntries} + "}"}) {
    const auto events = parse_abi_json(text);
    ASSERT_TRUE(events) << events.error().message;
    ASSERT_EQ(events->size(), 2U);
    EXPECT_EQ(events->at(0).topic.hex(), kTransferTopic);
    EXPECT_EQ(events->at(0).indexed, 2U);
    EXPECT_EQ(events->at(1).signature, "Transfer((uint8,string[])[2][])");
  }
  const auto one = parse_abi_json(R"({"type":"event","name":"E","inputs":[],"anonymous":true})");
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_TRUE(one->at(0).anonymous);
}

TEST(AbiJson, IsRefusedWithTheEntryAndTheReason) {
  const auto why = [](std::string_view text) {
    const auto events = parse_abi_json(text);
    return events ? "no error" : events.error().message;
  };
  EXPECT_EQ(why("[{]"),
            "it is not JSON, or is nested deeper than 1024 levels; the output of solc --abi is "
            "expected");
  EXPECT_EQ(why("7"), "a list of entries is expected, or an object whose member abi is one");
  EXPECT_EQ(why(R"({"abi":{}})"),
            "a list of entries is expected, or an object whose member abi is one");
  EXPECT_EQ(why("[1]"), "entry 0: an object is expected");
  EXPECT_EQ(why(R"([{"type":1}])"), "entry 0: the member type is not a text");
  EXPECT_EQ(why(R"([{"type":"event","name":"E"}])"),
            "entry 0, the event 'E': there is no member inputs");
  EXPECT_EQ(why(R"([{"type":"event","name":"E","inputs":[{"type":"uint7","name":"a"}]}])"),
            "entry 0, the event 'E': the argument 'a': unknown type 'uint7'");
  EXPECT_EQ(why(R"([{"type":"event","name":"E","inputs":[{"type":"tuple","name":"a"}]}])"),
            "entry 0, the event 'E': a tuple has no member components");
  EXPECT_EQ(why(R"([{"type":"event","name":"a\nb","inputs":[]}])"),
            "entry 0, the event 'a\nb': the name of an event is letters, digits, _ and $");
}

}  // namespace
}  // namespace bloomery::ethlog
