#include "bloomery/formats/leveldb/entries.h"

#include <snappy.h>

#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

constexpr DecodeLimits kLimits{};

using testing::Bytes;
using testing::from_hex;

Result<std::vector<std::string>> walked(ByteView block) {
  auto entries = LevelDbEntries::open(block);
  if (!entries) return entries.error();
  std::vector<std::string> keys;
  for (;;) {
    const auto more = entries->next();
    if (!more) return more.error();
    if (!*more) return keys;
    keys.emplace_back(text_of(entries->key()));
  }
}

// "ab"="x", "abc"="" (two bytes shared), one restart point.
constexpr const char* kTwoEntries =
    "000201"
    "6162"
    "78"
    "020100"
    "63"
    "00000000"
    "01000000";

TEST(LevelDbEntries, KeysShareThePrefixOfTheKeyBefore) {
  const auto keys = walked(from_hex(kTwoEntries));
  ASSERT_TRUE(keys) << keys.error().message;
  EXPECT_EQ(*keys, (std::vector<std::string>{"ab", "abc"}));
  EXPECT_TRUE(walked(from_hex("0000000001000000"))->empty());
}

TEST(LevelDbEntries, RefusesASharedPrefixLongerThanTheKeyBefore) {
  EXPECT_FALSE(
      walked(from_hex("010201"
                      "6162"
                      "78"
                      "00000000"
                      "01000000")));
  EXPECT_FALSE(
      walked(from_hex("00ff01"
                      "6162"
                      "78"
                      "00000000"
                      "01000000")));
  EXPECT_FALSE(
      walked(from_hex("0002ff7f"
                      "6162"
                      "78"
                      "00000000"
                      "01000000")));
}

TEST(LevelDbEntries, RefusesMoreRestartPointsThanFit) {
  EXPECT_FALSE(walked(from_hex("0000000002000000")));
  EXPECT_FALSE(walked(from_hex("ffffffff")));
  EXPECT_FALSE(walked(from_hex("000000")));
}

TEST(LevelDbEntries, SurvivesHostileBytes) {
  testing::survive_hostile_bytes(
      from_hex(kTwoEntries), walked, [](const auto&) {}, 1);
}

TEST(LevelDbEntries, BlocksOutsideTheFileAreRefused) {
  const Bytes file(100);
  EXPECT_TRUE(find_block(file, {0, 95}, kLimits));
  EXPECT_FALSE(find_block(file, {0, 96}, kLimits));
  EXPECT_FALSE(find_block(file, {96, 0}, kLimits));
  EXPECT_TRUE(find_block(file, {50, 45}, kLimits));
  EXPECT_FALSE(find_block(file, {50, 46}, kLimits));
  EXPECT_TRUE(find_block(file, {95, 0}, kLimits));
  EXPECT_TRUE(find_block(ByteView{file}.first(5), {0, 0}, kLimits));
  EXPECT_FALSE(find_block(file, {UINT64_MAX, 10}, kLimits));
  EXPECT_FALSE(find_block(file, {10, UINT64_MAX}, kLimits));
  EXPECT_FALSE(find_block(ByteView{file}.first(4), {0, 0}, kLimits));
}

TEST(LevelDbEntries, ABlockIsACopyThatNoOtherProcessCanChange) {
  Bytes file(100, std::byte{7});
  const auto block = find_block(file, {10, 50}, kLimits);
  ASSERT_TRUE(block);
  std::ranges::fill(file, std::byte{9});
  EXPECT_EQ(block->stored, Bytes(50, std::byte{7}));
  EXPECT_EQ(find_block(file, {10, 50}, {.max_bytes = 49}).error().code, ErrorCode::kTooLarge);
}

TEST(LevelDbEntries, UnpacksSnappyWithinTheLimitOnly) {
  const std::string text(5000, 'a');
  std::string packed;
  snappy::Compress(text.data(), text.size(), &packed);
  const ByteView stored = bytes_of(packed);
  const LevelDbStoredBlock block{{stored.begin(), stored.end()}, 1, true};
  const auto unpacked_text = unpacked(block, {});
  ASSERT_TRUE(unpacked_text) << unpacked_text.error().message;
  EXPECT_EQ(text_of(*unpacked_text), text);
  EXPECT_EQ(unpacked(block, {.max_bytes = 4999}).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(unpacked({block.stored, 2, true}, {}).error().code, ErrorCode::kUnsupported);
}

TEST(LevelDbEntries, ASnappyLengthThatLiesIsFoundBeforeItIsAllocated) {
  const Bytes lie = from_hex(
      "ffffffff03"
      "0061");  // a gigabyte, made of one byte
  EXPECT_EQ(unpacked({lie, 1, true}, {}).error().code, ErrorCode::kMalformed);
}

}  // namespace
}  // namespace bloomery
