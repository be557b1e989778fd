#include "bloomery/formats/thrift_compact.h"

#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;

// Reads a struct, keeping the integers of fields 1 and 20 and skipping everything else.
Result<std::vector<std::int64_t>> integers(ByteView bytes) {
  ThriftReader reader{bytes};
  std::vector<std::int64_t> found;
  reader.read_struct([&](std::int64_t id, ThriftType type) {
    if ((id != 1 && id != 20) || type != ThriftType::kI32) return false;
    found.push_back(reader.read_integer());
    return true;
  });
  if (reader.failed()) return reader.error("the test");
  EXPECT_LE(reader.position(), bytes.size());
  return found;
}

// The number of a field is a sum; the largest one plus a step would overflow.
TEST(ThriftReader, RefusesFieldNumbersBeyond16Bits) {
  constexpr const char* kSteps =
      "1500"
      "050000";  // field 1, then field 0 by its full number
  EXPECT_TRUE(integers(from_hex(std::string{kSteps} + "00")));
  for (const char* number : {"feffffffffffffffff01", "ffffffffffffffffff01", "808004", "818004"}) {
    const auto found = integers(from_hex(std::string{"05"} + number + "00" + "f500" + "00"));
    ASSERT_FALSE(found) << number;
    EXPECT_EQ(found.error().code, ErrorCode::kMalformed);
  }
  EXPECT_TRUE(
      integers(from_hex("05"
                        "feff03"
                        "00"
                        "00")));  // 32767
  EXPECT_FALSE(
      integers(from_hex("05"
                        "feff03"
                        "00"
                        "1500"
                        "00")));  // and one more
}

// Field 1 = -3; 2 true; 3 i8; 4 double; 5 "abc"; 6 list of two bools; 7 map of i32 to binary;
// 8 struct with a struct; 9 uuid; 10 an empty map; 11 set of one struct; field 20 (long form) =
// 300.
constexpr const char* kEverything =
    "1505"
    "11"
    "1307"
    "170000000000000000"
    "1803616263"
    "19210102"
    "1b0158"
    "0e"
    "0161"
    "1c1c15020000"
    "1d000102030405060708090a0b0c0d0e0f"
    "1b00"
    "1a1c00"
    "0528d804"
    "00";

TEST(ThriftCompact, SkipsEveryTypeAndReadsWhatFollows) {
  const auto found = integers(from_hex(kEverything));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, (std::vector<std::int64_t>{-3, 300}));
}

TEST(ThriftCompact, BoundsNesting) {
  Bytes structs;
  for (int i = 0; i < 1'000'000; ++i) structs.push_back(std::byte{0x1c});
  EXPECT_EQ(integers(structs).error().code, ErrorCode::kMalformed);
  Bytes lists = from_hex("19");
  for (int i = 0; i < 1'000'000; ++i) lists.push_back(std::byte{0x19});
  EXPECT_EQ(integers(lists).error().code, ErrorCode::kMalformed);
  Bytes maps = from_hex("1b");
  for (int i = 0; i < 1'000'000; ++i)
    maps.push_back(i % 2 == 0 ? std::byte{0x01} : std::byte{0xbb});
  EXPECT_EQ(integers(maps).error().code, ErrorCode::kMalformed);
  Bytes shallow(ThriftReader::kMostNesting - 1, std::byte{0x1c});
  shallow.resize(shallow.size() + ThriftReader::kMostNesting);
  EXPECT_TRUE(integers(shallow));
}

TEST(ThriftCompact, RefusesListsLongerThanTheBytes) {
  EXPECT_FALSE(integers(from_hex("19f5ffffffff0f00")));          // 2^32 integers
  EXPECT_FALSE(integers(from_hex("19fcffffffffffffffff7f00")));  // 2^63 structs
  EXPECT_FALSE(integers(from_hex("1bffffffff0f5500")));          // a map
  EXPECT_FALSE(integers(from_hex("18ffffffffffffffff7f00")));    // a string
}

TEST(ThriftCompact, RefusesUnknownTypesAndLongNumbers) {
  EXPECT_EQ(integers(from_hex("1e00")).error().code, ErrorCode::kMalformed);
  EXPECT_EQ(integers(from_hex("15ffffffffffffffffffff0100")).error().code, ErrorCode::kMalformed);
  EXPECT_EQ(integers(from_hex("11")).error().code, ErrorCode::kTruncated);
}

TEST(ThriftCompact, SurvivesHostileBytes) {
  testing::survive_hostile_bytes(from_hex(kEverything), integers, [](const auto&) {});
}

}  // namespace
}  // namespace bloomery
