#include "apps/ethlog/model/rlp.h"

#include <gtest/gtest.h>

namespace bloomery::ethlog {
namespace {

using Bytes = std::vector<std::byte>;

Bytes hex(std::string_view text) { return *bytes_from_hex(text); }

std::string error_of(std::string_view text) {
  const Bytes input = hex(text);
  RlpFailure failure;
  RlpReader reader{input, failure};
  while (!reader.done()) (void)reader.item("Thing");
  return failure ? failure.error().message : "";
}

TEST(Rlp, WritesTheShortestFormOfEachValue) {
  RlpWriter out;
  out.bytes({});
  out.bytes(hex("0x00"));
  out.bytes(hex("0x7f"));
  out.bytes(hex("0x80"));
  out.number(0);
  out.number(15);
  out.number(1024);
  out.number(UINT64_MAX);
  out.integer(hex("0x0000000100"));
  EXPECT_EQ(to_hex(out.take()), "0x80007f8180800f82040088ffffffffffffffff820100");
}

TEST(Rlp, WritesLengthsOf55And56InTheirOwnForms) {
  RlpWriter out;
  out.bytes(Bytes(55));
  EXPECT_EQ(to_hex(ByteView{out.take()}.first(1)), "0xb7");
  out.bytes(Bytes(56));
  EXPECT_EQ(to_hex(ByteView{out.take()}.first(2)), "0xb838");
  out.begin_list();
  out.bytes(Bytes(300));
  out.begin_list();
  out.end_list();
  out.end_list();
  const Bytes list = out.take();
  EXPECT_EQ(to_hex(ByteView{list}.first(6)), "0xf90130b9012c");
  EXPECT_EQ(list.back(), std::byte{0xc0});
}

TEST(Rlp, ReadsWhatItWrote) {
  RlpWriter out;
  out.begin_list();
  out.number(77);
  out.begin_list();
  out.bytes(Hash{}.bytes);
  out.begin_list();
  out.end_list();
  out.end_list();
  out.bytes(bytes_of("word"));
  out.end_list();
  const Bytes bytes = out.take();
  RlpFailure failure;
  RlpReader reader = RlpReader::of_list(bytes, failure, "Thing");
  EXPECT_EQ(reader.number("number"), 77U);
  EXPECT_TRUE(reader.next_is_list());
  RlpReader inner = reader.list("inner");
  EXPECT_EQ(inner.fixed<32>("hash"), Hash{});
  EXPECT_TRUE(inner.list("empty").done());
  EXPECT_TRUE(inner.done());
  EXPECT_FALSE(reader.next_is_list());
  EXPECT_EQ(text_of(reader.bytes("word")), "word");
  reader.expect_end("Thing");
  EXPECT_FALSE(failure);
}

TEST(Rlp, RefusesEveryFormThatIsNotCanonical) {
  EXPECT_EQ(error_of("0x8180"), "");
  EXPECT_NE(error_of("0x817f").find("below 0x80 is wrapped"), std::string::npos);
  EXPECT_NE(error_of("0x8100").find("below 0x80 is wrapped"), std::string::npos);
  EXPECT_NE(error_of("0xb801ff").find("long form"), std::string::npos);
  EXPECT_NE(error_of("0xb837" + std::string(110, '1')).find("long form"), std::string::npos);
  EXPECT_EQ(error_of("0xb838" + std::string(112, '1')), "");
  EXPECT_NE(error_of("0xb90038" + std::string(112, '1')).find("begins with a zero"),
            std::string::npos);
  EXPECT_NE(error_of("0xf801c0").find("long form"), std::string::npos);
  EXPECT_NE(error_of("0xf800").find("zero byte"), std::string::npos);
}

TEST(Rlp, RefusesLengthsBeyondTheInput) {
  for (const char* text : {"0x81", "0xb8", "0xb9ff", "0xbf", "0xbfffffffffffffffff", "0xc1", "0xff",
                           "0xffffffffffffffffff", "0xbf7fffffffffffffff00", "0x8301"})
    EXPECT_FALSE(error_of(text).empty()) << text;
}

TEST(Rlp, RefusesIntegersWithLeadingZerosAndOnesThatDoNotFit) {
  for (const char* text : {"0x00", "0x820001", "0x89010000000000000000", "0xc0"}) {
    const Bytes input = hex(text);
    RlpFailure failure;
    RlpReader reader{input, failure};
    EXPECT_EQ(reader.number("Number"), 0U) << text;
    EXPECT_TRUE(failure) << text;
  }
}

TEST(Rlp, KeepsTheFirstFailureOfAllNestedLists) {
  const Bytes input = hex("0xc4c20102c0");
  RlpFailure failure;
  RlpReader outer = RlpReader::of_list(input, failure, "Outer");
  RlpReader inner = outer.list("Inner");
  (void)inner.fixed<20>("Address");
  EXPECT_TRUE(outer.done());
  EXPECT_TRUE(inner.done());
  (void)outer.number("Number");
  EXPECT_EQ(failure.error().message, "Address: 20 bytes were expected, not 1");
}

TEST(Rlp, RefusesBytesAfterTheOuterList) {
  const Bytes input = hex("0xc0c0");
  RlpFailure failure;
  (void)RlpReader::of_list(input, failure, "Thing");
  EXPECT_EQ(failure.error().message, "Thing: 1 bytes follow where it should end");
}

TEST(Hex, ReadsBothCasesAndRefusesTheRest) {
  EXPECT_EQ(to_hex(*bytes_from_hex("0XaBcD")), "0xabcd");
  EXPECT_TRUE(bytes_from_hex("0x")->empty());
  for (const char* text : {"", "0", "abcd", "0xa", "0x0g", "0xg0", "0x 0", "x0ab"})
    EXPECT_FALSE(bytes_from_hex(text)) << text;
  EXPECT_EQ(to_quantity(0), "0x0");
  EXPECT_EQ(to_quantity(0xabcdef), "0xabcdef");
  EXPECT_EQ(number_from_quantity("0xffffffffffffffff"), UINT64_MAX);
  EXPECT_EQ(number_from_quantity("0x00012"), 0x12U);
  EXPECT_EQ(number_from_quantity("0x0"), 0U);
  for (const char* text : {"", "0x", "12", "0x10000000000000000", "0x1g"})
    EXPECT_FALSE(number_from_quantity(text)) << text;
}

}  // namespace
}  // namespace bloomery::ethlog
