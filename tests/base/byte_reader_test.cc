#include "bloomery/base/byte_reader.h"

#include <gtest/gtest.h>

#include <array>

namespace bloomery {
namespace {

constexpr std::size_t kHeaderBytes = 1 + 2 + 4 + 8 + 3;

struct Header {
  std::uint8_t small;
  std::uint16_t wide;
  std::uint32_t big;
  std::uint64_t huge;
  std::string tail;
};

Header read_header(ByteReader& reader) {
  Header header{};
  header.small = reader.le<std::uint8_t>();
  header.wide = reader.le<std::uint16_t>();
  header.big = reader.be<std::uint32_t>();
  header.huge = reader.be<std::uint64_t>();
  header.tail = text_of(reader.take(3));
  return header;
}

std::array<std::byte, kHeaderBytes> header_bytes() {
  std::array<std::byte, kHeaderBytes> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>('A' + i);
  return bytes;
}

TEST(ByteReader, ReadsBothByteOrdersInTurn) {
  const auto bytes = header_bytes();
  ByteReader reader{bytes};
  const Header header = read_header(reader);
  EXPECT_FALSE(reader.failed());
  EXPECT_EQ(header.small, 'A');
  EXPECT_EQ(header.wide, 'C' << 8 | 'B');
  EXPECT_EQ(header.big, 0x44454647u);
  EXPECT_EQ(header.huge, 0x48494a4b4c4d4e4fu);
  EXPECT_EQ(header.tail, "PQR");
  EXPECT_EQ(reader.position(), kHeaderBytes);
  EXPECT_EQ(reader.remaining(), 0u);
}

TEST(ByteReader, FailsAtEveryTruncation) {
  const auto bytes = header_bytes();
  for (std::size_t size = 0; size < kHeaderBytes; ++size) {
    // A copy of exactly that size, so that a sanitizer sees a read past its end.
    const std::vector<std::byte> cut(bytes.begin(),
                                     bytes.begin() + static_cast<std::ptrdiff_t>(size));
    ByteReader reader{cut};
    read_header(reader);
    EXPECT_TRUE(reader.failed()) << size;
    EXPECT_EQ(reader.truncated("header").code, ErrorCode::kTruncated);
  }
}

TEST(ByteReader, SaysWhereTheBytesEndAndHowManyAreNeeded) {
  const auto bytes = header_bytes();
  ByteReader reader{ByteView{bytes}.first(5)};
  read_header(reader);
  EXPECT_EQ(reader.truncated("header").message,
            "header: the bytes end at 5, but 4 more are needed at byte 3");
}

TEST(ByteReader, StaysFailedAndReadsZero) {
  const std::array<std::byte, 3> bytes = {std::byte{1}, std::byte{2}, std::byte{3}};
  ByteReader reader{bytes};
  EXPECT_EQ(reader.le<std::uint32_t>(), 0u);
  EXPECT_TRUE(reader.failed());
  EXPECT_EQ(reader.le<std::uint8_t>(), 0u);
  EXPECT_TRUE(reader.take(1).empty());
  EXPECT_TRUE(reader.rest().empty());
  EXPECT_EQ(reader.position(), 0u);
}

TEST(ByteReader, RefusesALengthThatWouldWrap) {
  const std::array<std::byte, 4> bytes{};
  ByteReader reader{bytes};
  reader.le<std::uint16_t>();
  EXPECT_TRUE(reader.take(UINT64_MAX).empty());
  EXPECT_TRUE(reader.failed());
}

TEST(ByteReader, GivesTheRestWhichMayBeNothing) {
  const auto bytes = header_bytes();
  ByteReader reader{bytes};
  reader.take(kHeaderBytes - 2);
  EXPECT_EQ(text_of(reader.rest()), "QR");
  EXPECT_TRUE(reader.rest().empty());
  EXPECT_TRUE(reader.take(0).empty());
  EXPECT_FALSE(reader.failed());
}

}  // namespace
}  // namespace bloomery
