#include "bloomery/funnel/byte_sink.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/funnel/hex.h"

namespace bloomery {
namespace {

void put_one_of_each(ByteSink& sink) {
  sink.put_u8(0x01);
  sink.put_u16(0x0203);
  sink.put_u32(0x04050607);
  sink.put_u64(0x08090a0b0c0d0e0f);
  sink.put_bool(true);
  sink.put_bool(false);
  sink.put_f32(1.0f);
  sink.put_f64(-2.0);
  sink.put_bytes(bytes_of("ab"));
}

TEST(ByteSink, WritesNumbersLittleEndianByDefault) {
  ByteSink sink;
  put_one_of_each(sink);
  EXPECT_EQ(hex(sink.bytes()),
            "01"
            "0302"
            "07060504"
            "0f0e0d0c0b0a0908"
            "0100"
            "0000803f"
            "00000000000000c0"
            "6162");
}

TEST(ByteSink, WritesNumbersBigEndianWhenMadeSo) {
  ByteSink sink{ByteOrder::kBig};
  put_one_of_each(sink);
  EXPECT_EQ(hex(sink.bytes()),
            "01"
            "0203"
            "04050607"
            "08090a0b0c0d0e0f"
            "0100"
            "3f800000"
            "c000000000000000"
            "6162");
}

TEST(ByteSink, KeepsTheBitsOfANotANumber) {
  ByteSink sink;
  sink.put_f32(std::bit_cast<float>(0x7fc12345u));
  EXPECT_EQ(hex(sink.bytes()), "4523c17f");
}

TEST(ByteSink, IsEmptyAtFirstAndAfterEmptyBytes) {
  ByteSink sink;
  EXPECT_TRUE(sink.bytes().empty());
  sink.put_bytes({});
  EXPECT_TRUE(sink.bytes().empty());
}

TEST(ByteSink, KeepsEveryByteAcrossTheEndOfItsSmallBuffer) {
  for (std::size_t first = 0; first <= 2 * ByteSink::kSmallBytes; ++first) {
    for (const std::size_t second : {0u, 1u, 63u, 64u, 65u, 1000u}) {
      const std::string head(first, 'h'), tail(second, 't');
      ByteSink sink;
      sink.put_bytes(bytes_of(head));
      sink.put_bytes(bytes_of(tail));
      sink.put_u32(0x04030201);
      EXPECT_EQ(text_of(sink.bytes()), head + tail + "\x01\x02\x03\x04") << first << ' ' << second;
      EXPECT_EQ(sink.size(), first + second + 4);
    }
  }
}

TEST(ByteSink, StartsAnewAfterReset) {
  for (const std::size_t size : {3u, 64u, 500u}) {
    ByteSink sink{ByteOrder::kBig};
    sink.put_bytes(bytes_of(std::string(size, 'x')));
    sink.reset();
    EXPECT_EQ(sink.size(), 0u);
    sink.put_u16(1);
    EXPECT_EQ(hex(sink.bytes()), "0001") << size;
  }
}

}  // namespace
}  // namespace bloomery
