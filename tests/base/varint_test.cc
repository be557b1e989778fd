#include "bloomery/base/varint.h"

#include <gtest/gtest.h>

#include <vector>

namespace bloomery {
namespace {

std::optional<std::uint64_t> parsed(std::vector<unsigned> values) {
  std::vector<std::byte> bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  ByteReader reader{bytes};
  return read_varint(reader);
}

TEST(Varint, ReadsSevenBitsPerByteLowBitsFirst) {
  EXPECT_EQ(parsed({0x00}), 0U);
  EXPECT_EQ(parsed({0x7f}), 127U);
  EXPECT_EQ(parsed({0x80, 0x01}), 128U);
  EXPECT_EQ(parsed({0xac, 0x02}), 300U);
  EXPECT_EQ(parsed({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}), UINT64_MAX);
}

TEST(Varint, RefusesAnEarlyEndAndMoreThan64Bits) {
  EXPECT_EQ(parsed({}), std::nullopt);
  EXPECT_EQ(parsed({0x80}), std::nullopt);
  EXPECT_EQ(parsed({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}), std::nullopt);
  EXPECT_EQ(parsed({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}),
            std::nullopt);
}

}  // namespace
}  // namespace bloomery
