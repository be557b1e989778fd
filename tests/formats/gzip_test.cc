#include "bloomery/formats/gzip.h"

#include "tests/formats/golden.h"

namespace bloomery {
namespace {

using testing::Bytes;

Bytes numbers(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * i >> 3);
  return bytes;
}

TEST(Gzip, WhatWasCompressedIsReadBackInPiecesOfAnySize) {
  const Bytes plain = numbers(100'000);
  const Bytes compressed = gzipped(plain);
  EXPECT_TRUE(looks_like_gzip(compressed));
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{7777}, std::size_t{200'000}}) {
    GzipReader reader{compressed};
    Bytes read;
    Bytes buffer(piece);
    while (true) {
      const auto got = reader.read(buffer);
      ASSERT_TRUE(got) << got.error().message;
      read.insert(read.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(*got));
      if (*got < piece) break;
    }
    EXPECT_EQ(read, plain);
  }
}

TEST(Gzip, MembersOneAfterTheOtherAreOneStream) {
  Bytes two = gzipped(bytes_of("first, "));
  const Bytes second = gzipped(bytes_of("second"));
  two.insert(two.end(), second.begin(), second.end());
  Bytes buffer(100);
  const auto got = GzipReader{two}.read(buffer);
  ASSERT_TRUE(got);
  EXPECT_EQ(text_of(ByteView{buffer}.first(*got)), "first, second");
}

TEST(Gzip, NothingCompressesToAStreamWithoutBytes) {
  const Bytes empty = gzipped({});
  Bytes buffer(10);
  const auto got = GzipReader{empty}.read(buffer);
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, 0U);
}

TEST(Gzip, EveryTruncationIsAnError) {
  const Bytes good = gzipped(numbers(300));
  Bytes buffer(1000);
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(GzipReader{ByteView{good}.first(size)}.read(buffer)) << size;
}

TEST(Gzip, DamageAndTrailingGarbageAreErrors) {
  const Bytes good = gzipped(numbers(300));
  Bytes buffer(1000);
  Bytes wrong_checksum = good;
  wrong_checksum[good.size() - 6] ^= std::byte{1};
  EXPECT_EQ(GzipReader{wrong_checksum}.read(buffer).error().code, ErrorCode::kMalformed);
  Bytes trailing = good;
  trailing.insert(trailing.end(), 8, std::byte{'x'});
  EXPECT_EQ(GzipReader{trailing}.read(buffer).error().code, ErrorCode::kMalformed);
}

TEST(Gzip, NoMoreComesThanTheBound) {
  const Bytes bomb = gzipped(Bytes(5'000'000));
  GzipReader reader{bomb};
  EXPECT_GE(reader.most_remaining(), 5'000'000U);
  EXPECT_LE(reader.most_remaining(), 7'000'000U);
  const std::uint64_t at_first = reader.most_remaining();
  Bytes half(2'500'000);
  ASSERT_TRUE(reader.read(half));
  EXPECT_GE(reader.most_remaining(), 2'500'000U);
  EXPECT_LT(reader.most_remaining(), at_first - 2'000'000) << "what was read does not come again";
}

}  // namespace
}  // namespace bloomery
