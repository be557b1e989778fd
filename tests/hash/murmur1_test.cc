#include "bloomery/hash/murmur1.h"

#include "tests/hash/hash_inputs.h"

namespace bloomery {
namespace {

// Byte by byte: four make a word, and the sum of the last few is added as they come.
std::uint32_t slow_murmur1(ByteView key, std::uint32_t seed, bool signed_tail) {
  constexpr std::uint32_t kFactor = 0xc6a4a793;
  std::uint32_t hash = seed ^ (static_cast<std::uint32_t>(key.size()) * kFactor);
  const std::size_t full = key.size() / 4 * 4;
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto byte = std::to_integer<std::uint32_t>(key[i]);
    const std::uint32_t extension = i >= full && signed_tail && byte >= 0x80 ? 0xffffff00u : 0u;
    word += (byte | extension) << (8 * (i % 4));
    if (i % 4 == 3) {
      hash = (hash + word) * kFactor;
      hash ^= hash >> 16;
      word = 0;
    }
  }
  if (full == key.size()) return hash;
  hash = (hash + word) * kFactor;
  return hash ^ (hash >> 24);
}

// From LevelDB's own test (1.23, util/hash_test.cc): every tail length, with bytes of 0x80 and
// more.
TEST(Murmur1Unfinished, MatchesThePublishedVectors) {
  EXPECT_EQ(murmur1_unfinished({}, 0xbc9f1d34), 0xbc9f1d34u);
  EXPECT_EQ(murmur1_unfinished(test::bytes_from_hex("62"), 0xbc9f1d34), 0xef1345c4u);
  EXPECT_EQ(murmur1_unfinished(test::bytes_from_hex("c397"), 0xbc9f1d34), 0x5b663814u);
  EXPECT_EQ(murmur1_unfinished(test::bytes_from_hex("e299a5"), 0xbc9f1d34), 0x323c078fu);
  EXPECT_EQ(murmur1_unfinished(test::bytes_from_hex("e180b932"), 0xbc9f1d34), 0xed21633au);
  const test::Bytes request = test::bytes_from_hex(
      "01c00000000000000000000000000000140000000000040000000014000000182800000000000000020000000000"
      "0000");
  EXPECT_EQ(murmur1_unfinished(request, 0x12345678), 0xf333dabbu);
}

TEST(Murmur1Unfinished, EqualsTheSlowReference) {
  for (const std::uint32_t seed : {0u, 0xbc9f1d34u, 0xffffffffu}) {
    test::expect_same_for_all_lengths(
        [seed](ByteView key) { return murmur1_unfinished(key, seed); },
        [seed](ByteView key) { return slow_murmur1(key, seed, false); });
  }
}

TEST(Murmur1Unfinished, SignedTailEqualsTheSlowReference) {
  test::expect_same_for_all_lengths(
      [](ByteView key) { return murmur1_unfinished_signed_tail(key, 0xbc9f1d34); },
      [](ByteView key) { return slow_murmur1(key, 0xbc9f1d34, true); });
}

// From RocksDB's own test (util/hash_test.cc): its hash descends from the old one and kept the
// sign.
TEST(Murmur1Unfinished, SignedTailMatchesThePublishedVectors) {
  const auto hash = [](std::string_view hex) {
    return murmur1_unfinished_signed_tail(test::bytes_from_hex(hex), 0xbc9f1d34);
  };
  EXPECT_EQ(hash(""), 3164544308u);
  EXPECT_EQ(hash("08"), 422599524u);
  EXPECT_EQ(hash("9a"), 3195034349u);
  EXPECT_EQ(hash("52d5"), 3854228105u);
  EXPECT_EQ(hash("91f7"), 31066776u);
  EXPECT_EQ(hash("56dcd6"), 2157698265u);
  EXPECT_EQ(hash("6ab5f4"), 2469105222u);
  EXPECT_EQ(hash("69b8c088"), 3416318611u);
}

TEST(Murmur1Unfinished, SignedTailDiffersExactlyWhenTheTailHasAHighByte) {
  const auto differs = [](std::string_view hex) {
    const test::Bytes key = test::bytes_from_hex(hex);
    return murmur1_unfinished(key, 1) != murmur1_unfinished_signed_tail(key, 1);
  };
  EXPECT_TRUE(differs("80"));
  EXPECT_TRUE(differs("0080"));
  EXPECT_TRUE(differs("80ff"));
  EXPECT_TRUE(differs("01020304ff0000"));
  EXPECT_FALSE(differs("7f"));
  EXPECT_FALSE(differs("ffffffff"));
  EXPECT_FALSE(differs("ffffffff7f7f7f"));
  EXPECT_FALSE(differs("fffefdfcfbfaf9f8"));
}

// A sign extension in the third byte is shifted out of the word, all but its top eight bits.
TEST(Murmur1Unfinished, SignedTailSubtractsFromTheBytesAbove) {
  constexpr std::uint32_t kFactor = 0xc6a4a793;
  const std::uint32_t sum = (3 * kFactor) + 0xff810000u;
  const std::uint32_t product = sum * kFactor;
  EXPECT_EQ(murmur1_unfinished_signed_tail(test::bytes_from_hex("000081"), 0),
            product ^ (product >> 24));
}

}  // namespace
}  // namespace bloomery
