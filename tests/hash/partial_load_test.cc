#include "bloomery/hash/partial_load.h"

#include "tests/hash/hash_inputs.h"

namespace bloomery {
namespace {

TEST(PartialLoad, ReadsEachLengthLittleEndianAndFillsWithZero) {
  const test::Bytes source = test::bytes_from_hex("81f203e405d607");
  const std::uint64_t whole = 0x07d605e403f281;
  for (std::size_t size = 0; size < 8; ++size) {
    const test::Bytes exact(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(size));
    const std::uint64_t mask = (std::uint64_t{1} << (8 * size)) - 1;
    EXPECT_EQ(internal::load_le_partial(exact.data(), size), whole & mask) << size;
  }
}

}  // namespace
}  // namespace bloomery
