#include "bloomery/hash/crc32c.h"

#include <gtest/gtest.h>

#include <vector>

namespace bloomery {
namespace {

std::vector<std::byte> counted(int from, int step) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < 32; ++i) bytes.push_back(static_cast<std::byte>(from + i * step));
  return bytes;
}

TEST(Crc32c, GivesThePublishedVectors) {  // RFC 3720, B.4, and the usual check value
  EXPECT_EQ(crc32c(counted(0, 0)), 0x8a9136aaU);
  EXPECT_EQ(crc32c(counted(0xff, 0)), 0x62a8ab43U);
  EXPECT_EQ(crc32c(counted(0, 1)), 0x46dd794eU);
  EXPECT_EQ(crc32c(counted(31, -1)), 0x113fdb5cU);
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283U);
  EXPECT_EQ(crc32c({}), 0U);
}

TEST(Crc32c, TableAndInstructionAgreeAtEveryLengthAndOffset) {
  std::vector<std::byte> bytes;
  for (unsigned i = 0; i < 80; ++i) bytes.push_back(static_cast<std::byte>(i * 167 + 13));
  for (std::size_t offset = 0; offset < 8; ++offset)
    for (std::size_t size = 0; size + offset <= bytes.size(); ++size) {
      const ByteView part = ByteView{bytes}.subspan(offset, size);
      EXPECT_EQ(crc32c(part), internal::crc32c_portable(part)) << offset << " " << size;
    }
}

TEST(Crc32c, ContinuesFromTheChecksumOfAFirstPart) {
  const ByteView all = bytes_of("123456789");
  for (std::size_t split = 0; split <= all.size(); ++split) {
    EXPECT_EQ(crc32c(all.subspan(split), crc32c(all.first(split))), 0xe3069283U);
    EXPECT_EQ(
        internal::crc32c_portable(all.subspan(split), internal::crc32c_portable(all.first(split))),
        0xe3069283U);
  }
}

}  // namespace
}  // namespace bloomery
