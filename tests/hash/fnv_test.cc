#include "bloomery/hash/fnv.h"

#include <array>

#include "tests/hash/hash_inputs.h"

namespace bloomery {
namespace {

struct FnvVector {
  std::string_view key;
  std::uint64_t fnv1;
  std::uint64_t fnv1a;
};

// From the test suite of Landon Curt Noll's FNV distribution.
constexpr std::array<FnvVector, 8> kVectors = {{
    {"", 0xcbf29ce484222325, 0xcbf29ce484222325},
    {"a", 0xaf63bd4c8601b7be, 0xaf63dc4c8601ec8c},
    {"b", 0xaf63bd4c8601b7bd, 0xaf63df4c8601f1a5},
    {"fo", 0x08326207b4eb2f34, 0x08985907b541d342},
    {"foo", 0xd8cbc7186ba13533, 0xdcb27518fed9d577},
    {"foob", 0x0378817ee2ed65cb, 0xdd120e790c2512af},
    {"fooba", 0xd329d59b9963f790, 0xcac165afa2fef40a},
    {"foobar", 0x340d8765a4dda9c2, 0x85944171f73967e8},
}};

TEST(Fnv, MatchesThePublishedVectors) {
  for (const FnvVector& vector : kVectors) {
    EXPECT_EQ(fnv1_64(bytes_of(vector.key)), vector.fnv1) << vector.key;
    EXPECT_EQ(fnv1a_64(bytes_of(vector.key)), vector.fnv1a) << vector.key;
  }
}

// Noll's shortest binary input that FNV-1a takes to zero; four of its bytes are 0x80 or more.
TEST(Fnv, TakesHighBytesAsUnsigned) {
  EXPECT_EQ(fnv1a_64(test::bytes_from_hex("d56bb95342870836")), 0u);
  EXPECT_EQ(fnv1a_64(test::bytes_from_hex("ff")), (kFnvBasis64 ^ 0xff) * kFnvPrime64);
  EXPECT_EQ(fnv1_64(test::bytes_from_hex("ff")), (kFnvBasis64 * kFnvPrime64) ^ 0xff);
}

TEST(Fnv, PairEqualsTheTwoHashes) {
  test::expect_same_for_all_lengths([](ByteView key) { return fnv1_and_1a_64(key); },
                                    [](ByteView key) {
                                      return FnvPair{fnv1_64(key), fnv1a_64(key)};
                                    });
}

TEST(Fnv, ContinuesFromABasis) {
  const test::Bytes key = test::varied_bytes(100);
  const ByteView head = ByteView{key}.first(37);
  const ByteView tail = ByteView{key}.subspan(37);
  EXPECT_EQ(fnv1_64(tail, fnv1_64(head)), fnv1_64(key));
  EXPECT_EQ(fnv1a_64(tail, fnv1a_64(head)), fnv1a_64(key));
  EXPECT_NE(fnv1a_64(tail), fnv1a_64(key));
}

// The multiplication by 2^40 + 0x1b3, done with shifts and additions.
std::uint64_t slow_product(std::uint64_t x) {
  return (x << 40) + (x << 8) + (x << 7) + (x << 5) + (x << 4) + (x << 1) + x;
}

TEST(Fnv, EqualsShiftsAndAdditions) {
  const auto reference = [](ByteView key) {
    FnvPair pair{14695981039346656037u, 14695981039346656037u};
    for (const std::byte byte : key) {
      pair.fnv1 = slow_product(pair.fnv1) ^ static_cast<std::uint64_t>(byte);
      pair.fnv1a = slow_product(pair.fnv1a ^ static_cast<std::uint64_t>(byte));
    }
    return pair;
  };
  test::expect_same_for_all_lengths([](ByteView key) { return fnv1_and_1a_64(key); }, reference);
}

TEST(Fnv, IsConstexpr) {
  constexpr std::array<std::byte, 1> kKey{std::byte{'a'}};
  static_assert(fnv1a_64(kKey) == 0xaf63dc4c8601ec8c);
  static_assert(fnv1_and_1a_64(kKey).fnv1 == 0xaf63bd4c8601b7be);
}

}  // namespace
}  // namespace bloomery
