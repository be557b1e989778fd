#include "bloomery/base/endian.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(Endian, LoadsBothOrdersFromAnUnalignedAddress) {
  const std::string_view text = "_\x01\x02\x03\x04\x05\x06\x07\x08";
  const std::byte* at = bytes_of(text).data() + 1;
  EXPECT_EQ(load_le<std::uint16_t>(at), 0x0201u);
  EXPECT_EQ(load_be<std::uint16_t>(at), 0x0102u);
  EXPECT_EQ(load_le<std::uint32_t>(at), 0x04030201u);
  EXPECT_EQ(load_be<std::uint32_t>(at), 0x01020304u);
  EXPECT_EQ(load_le<std::uint64_t>(at), 0x0807060504030201u);
  EXPECT_EQ(load_be<std::uint64_t>(at), 0x0102030405060708u);
}

TEST(Endian, StoresBothOrdersAtAnUnalignedAddress) {
  std::byte bytes[9] = {};
  store_le(bytes + 1, std::uint64_t{0x0807060504030201});
  EXPECT_EQ(text_of(bytes), std::string_view("\0\x01\x02\x03\x04\x05\x06\x07\x08", 9));
  store_be(bytes + 1, std::uint32_t{0x0a0b0c0d});
  EXPECT_EQ(text_of(bytes), std::string_view("\0\x0a\x0b\x0c\x0d\x05\x06\x07\x08", 9));
}

}  // namespace
}  // namespace bloomery
