#include "bloomery/base/byte_writer.h"

#include <gtest/gtest.h>

#include "bloomery/base/byte_reader.h"

namespace bloomery {
namespace {

TEST(ByteWriter, WritesWhatAReaderReads) {
  ByteWriter writer;
  writer.reserve(100);
  writer.le(std::uint16_t{0x0102});
  writer.be(std::uint32_t{0x03040506});
  writer.put(bytes_of("xyz"));
  writer.le(1.5);
  EXPECT_EQ(writer.size(), 2u + 4 + 3 + 8);

  const std::vector<std::byte> bytes = writer.take();
  EXPECT_EQ(text_of(ByteView{bytes}.first(9)), "\x02\x01\x03\x04\x05\x06xyz");
  ByteReader reader{bytes};
  EXPECT_EQ(reader.le<std::uint16_t>(), 0x0102);
  EXPECT_EQ(reader.be<std::uint32_t>(), 0x03040506u);
  EXPECT_EQ(text_of(reader.take(3)), "xyz");
  EXPECT_EQ(reader.le<double>(), 1.5);
  EXPECT_EQ(reader.remaining(), 0u);
}

}  // namespace
}  // namespace bloomery
