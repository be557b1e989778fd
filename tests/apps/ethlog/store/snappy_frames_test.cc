#include "apps/ethlog/store/snappy_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/apps/ethlog/store/samples.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;

constexpr DecodeLimits kLimits{1 << 20};

Bytes patterned(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * i / 97 + i % 7);
  return bytes;
}

std::string error_of(ByteView stream, DecodeLimits limits = kLimits) {
  const auto out = decode_snappy_frames(stream, limits);
  return out ? "" : out.error().message;
}

TEST(SnappyFrames, GiveBackWhatWasFramed) {
  for (const std::size_t size : {0U, 1U, 100U, 65535U, 65536U, 65537U, 400'000U}) {
    const Bytes plain = patterned(size);
    const auto out = decode_snappy_frames(snappy_stream(plain), kLimits);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(*out, plain);
    const auto block = decode_snappy_block(snappy_block(plain), kLimits);
    ASSERT_TRUE(block) << block.error().message;
    EXPECT_EQ(*block, plain);
  }
}

// The identifier, then "hello world" in one raw chunk; its CRC-32C is 0xc99465aa, masked
// 0x6dd87e00.
TEST(SnappyFrames, ReadBytesWrittenByHand) {
  const auto out = decode_snappy_frames(
      *bytes_from_hex("0xff060000734e61507059010f0000007ed86d68656c6c6f20776f726c64"), kLimits);
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(text_of(*out), "hello world");
}

TEST(SnappyFrames, RefuseAWrongChecksumAnUnknownChunkAndAMissingIdentifier) {
  const Bytes good = snappy_stream(patterned(1000));
  Bytes bad = good;
  bad[14] ^= std::byte{1};
  EXPECT_THAT(error_of(bad), HasSubstr("the checksum of a chunk does not fit"));
  bad = good;
  bad[10] = std::byte{2};
  EXPECT_THAT(error_of(bad), HasSubstr("unknown type 2 may not be skipped"));
  bad[10] = std::byte{0x80};
  EXPECT_EQ(error_of(bad), "");
  bad = good;
  bad[4] = std::byte{'S'};
  EXPECT_THAT(error_of(bad), HasSubstr("the stream identifier is wrong"));
  EXPECT_THAT(error_of(ByteView{good}.subspan(10)), HasSubstr("does not begin with"));
  EXPECT_THAT(error_of({}), HasSubstr("it is empty"));
}

TEST(SnappyFrames, KeepToTheLimit) {
  const Bytes stream = snappy_stream(patterned(300'000));
  EXPECT_EQ(error_of(stream, {300'000}), "");
  EXPECT_THAT(error_of(stream, {299'999}), HasSubstr("Snappy stream"));
  EXPECT_FALSE(decode_snappy_block(snappy_block(patterned(1000)), {999}));
  // Four bytes that announce 4 GiB, and a chunk that announces more than a chunk may hold.
  EXPECT_FALSE(decode_snappy_block(*bytes_from_hex("0xffffffff0f00"), {UINT64_MAX}));
  EXPECT_THAT(error_of(*bytes_from_hex("0xff060000734e61507059000800000000000081800400")),
              HasSubstr("where at most 65536 are accepted"));
}

// A chunk's first byte is its type, and three of length follow.
std::vector<std::size_t> chunk_starts(const Bytes& stream) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < stream.size();) {
    starts.push_back(at);
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(stream[at + i]); };
    at += 4 + byte(1) + (byte(2) << 8) + (byte(3) << 16);
  }
  return starts;
}

TEST(SnappyFrames, ATruncatedStreamIsRefusedUnlessItEndsWithAChunk) {
  const Bytes plain = patterned(1500);
  const Bytes good = snappy_stream(plain, 400);
  const auto starts = chunk_starts(good);
  for (std::size_t size = 0; size < good.size(); ++size) {
    const auto out = decode_snappy_frames(ByteView{good}.first(size), kLimits);
    const bool ends_with_a_chunk = size > 0 && std::ranges::find(starts, size) != starts.end();
    ASSERT_EQ(out.has_value(), ends_with_a_chunk) << size;
    if (!out) continue;
    EXPECT_TRUE(std::ranges::equal(*out, ByteView{plain}.first(out->size()))) << size;
  }
}

TEST(SnappyFrames, NoAlteredByteChangesWhatIsRead) {
  const Bytes plain = patterned(1500);
  const Bytes good = snappy_stream(plain, 400);
  const auto starts = chunk_starts(good);
  std::size_t refusals = 0;
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0x80U, 0xfeU, 0xffU}) {
      Bytes bad = good;
      bad[at] = static_cast<std::byte>(value);
      const auto out = decode_snappy_frames(bad, kLimits);
      const bool is_type = std::ranges::find(starts, at) != starts.end();  // one may be skippable
      (void)decode_snappy_block(ByteView{bad}.subspan(at), kLimits);
      if (!out) ++refusals;
      if (!out || is_type) continue;
      EXPECT_EQ(*out, plain) << at;
    }
  EXPECT_GT(refusals, good.size() * 5);
}

}  // namespace
}  // namespace bloomery::ethlog
