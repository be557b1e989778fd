#include "bloomery/formats/redis/rdb.h"

#include <gtest/gtest.h>

#include "tests/formats/golden.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;

TEST(RedisRdb, TheChecksumHasItsPublishedCheckValue) {
  EXPECT_EQ(crc64_jones(bytes_of("123456789")), 0xe9c6d914c4b8d9caU);
  EXPECT_EQ(crc64_jones({}), 0U);
}

TEST(RedisRdb, AModuleTypeIdPacksNineCharactersAndAVersion) {
  EXPECT_EQ(module_type_id("AAAAAAAAA", 3), 3U);
  EXPECT_EQ(module_type_id("AAAAAAAAB", 1), 1025U);
  EXPECT_EQ(module_type_id("_________", 1023), UINT64_MAX);
}

std::string unpacked(const char* packed, std::size_t size) {
  Bytes out(size);
  const auto done = lzf_decompress(from_hex(packed), out);
  return done ? std::string{text_of(out)} : "error";
}

TEST(RedisRdb, LzfCopiesLiteralsAndWhatCameBefore) {
  EXPECT_EQ(unpacked("02616263", 3), "abc");
  EXPECT_EQ(unpacked("00612000", 4), "aaaa");                     // overlapping copy of 3
  EXPECT_EQ(unpacked("02616263e00202", 14), "abcabcabcabcab");    // 7 + 2 + 2 bytes, 3 back
  EXPECT_EQ(unpacked("0061e0ff00", 265), std::string(265, 'a'));  // the longest copy
}

TEST(RedisRdb, LzfRefusesDataThatLie) {
  EXPECT_EQ(unpacked("02616263", 4), "error");  // too few
  EXPECT_EQ(unpacked("02616263", 2), "error");  // too many
  EXPECT_EQ(unpacked("00612001", 4), "error");  // points before the start
  EXPECT_EQ(unpacked("006120", 4), "error");    // ends inside a copy
  EXPECT_EQ(unpacked("0061e0", 10), "error");
  EXPECT_EQ(unpacked("056162", 6), "error");  // ends inside a literal
  EXPECT_EQ(unpacked("0061e0ff00", 264), "error");
}

TEST(RedisRdb, LengthsAreReadInAllTheirForms) {
  const Bytes bytes = from_hex(
      "3f"
      "4101"
      "8000010000"
      "810000000100000000");
  RdbModuleReader lengths{bytes};
  EXPECT_EQ(lengths.length(), 63U);
  EXPECT_EQ(lengths.length(), 257U);
  EXPECT_EQ(lengths.length(), 65536U);
  EXPECT_EQ(lengths.length(), std::uint64_t{1} << 32);
  EXPECT_FALSE(lengths.failed());
  EXPECT_EQ(lengths.length(), 0U);
  EXPECT_TRUE(lengths.failed());
  EXPECT_EQ(lengths.error().code, ErrorCode::kTruncated);
}

TEST(RedisRdb, StringsMayBePlainNumbersOrPacked) {
  const Bytes bytes = from_hex(
      "0503616263"
      "05c0ff"
      "05c13905"
      "05c2d2029649"
      "05c3040400612000"
      "00");
  RdbModuleReader reader{bytes};
  for (const std::string expected : {"abc", "-1", "1337", "1234567890", "aaaa"}) {
    const RdbString value = reader.string_value();
    ASSERT_EQ(value.size, expected.size());
    Bytes out(expected.size());
    ASSERT_TRUE(value.unpack(out));
    EXPECT_EQ(text_of(out), expected);
  }
  reader.end();
  EXPECT_FALSE(reader.failed());
}

TEST(RedisRdb, WrongOpcodesAndWhatFollowsTheEndAreRefused) {
  for (const char* hex : {"0207", "0500", "c0", "82", "05c4", "05c3c0"}) {
    const Bytes bytes = from_hex(hex);
    RdbModuleReader reader{bytes};
    (void)reader.double_value();
    EXPECT_TRUE(reader.failed());
    RdbModuleReader strings{bytes};
    const RdbString value = strings.string_value();
    EXPECT_TRUE(strings.failed() || value.size == 0);
  }
  const Bytes two = from_hex("0000");
  RdbModuleReader longer{two};
  longer.end();
  EXPECT_EQ(longer.error().code, ErrorCode::kMalformed);
}

TEST(RedisRdb, APackedStringCannotClaimMoreThanLzfMakes) {
  const Bytes longest = from_hex(
      "05c305410900"
      "0061e0ff00");  // 5 bytes for 265
  RdbModuleReader reader{longest};
  EXPECT_EQ(reader.string_value().size, 265U);
  EXPECT_FALSE(reader.failed());
  const Bytes lie = from_hex(
      "05c305800fffffff"
      "0061e0ff00");
  RdbModuleReader lying{lie};
  (void)lying.string_value();
  EXPECT_TRUE(lying.failed());
}

TEST(RedisRdb, WhatIsWrittenIsReadInEveryLength) {
  const std::uint64_t numbers[] = {0, 63, 64, 16383, 16384, UINT32_MAX, UINT64_MAX, 1ULL << 32, 7};
  RdbModuleWriter writer{"MBbloom--", 3};
  for (const std::uint64_t number : numbers) writer.unsigned_value(number);
  writer.double_value(0.01);
  const Bytes text(20000, std::byte{'x'});
  writer.string_value(text);
  Bytes payload = writer.take();
  EXPECT_TRUE(looks_like_module_payload(payload, "MBbloom--"));
  EXPECT_FALSE(looks_like_module_payload(payload, "MBbloomCF"));
  auto opened = open_module_payload(payload, "MBbloom--");
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->version, 3U);
  for (const std::uint64_t number : numbers) EXPECT_EQ(opened->reader.unsigned_value(), number);
  EXPECT_EQ(opened->reader.double_value(), 0.01);
  EXPECT_EQ(text_of(opened->reader.string_value().stored), text_of(text));
  opened->reader.end();
  EXPECT_FALSE(opened->reader.failed());
  EXPECT_FALSE(open_module_payload(payload, "MBbloomCF"));
  payload.back() ^= std::byte{1};
  EXPECT_FALSE(open_module_payload(payload, "MBbloom--"));
}

// A payload needs ten bytes of type before it can be recognised, and ten of footer before it can be
// read.
TEST(RedisRdb, APayloadThatEndsTooSoonIsToldFromADamagedOne) {
  const Bytes payload = RdbModuleWriter{"MBbloom--", 3}.take();
  EXPECT_FALSE(looks_like_module_payload(ByteView{payload}.first(9), "MBbloom--"));
  EXPECT_TRUE(looks_like_module_payload(ByteView{payload}.first(10), "MBbloom--"));
  const auto code_of = [&](std::size_t size) {
    return open_module_payload(ByteView{payload}.first(size), "MBbloom--").error().code;
  };
  EXPECT_EQ(code_of(9), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(10), ErrorCode::kTruncated);
  EXPECT_EQ(code_of(19), ErrorCode::kTruncated);
  EXPECT_EQ(code_of(20), ErrorCode::kMalformed) << "room for a footer, and a wrong one";
}

}  // namespace
}  // namespace bloomery
