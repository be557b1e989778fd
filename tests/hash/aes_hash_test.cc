#include "bloomery/hash/aes_hash.h"

#include "tests/hash/hash_inputs.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace bloomery {
namespace {

using test::Bytes;

// --- a textbook round: bytes, the inverse found by trying ------------------------------------

std::uint8_t field_product(std::uint8_t a, std::uint8_t b) {
  unsigned product = 0;
  for (int i = 7; i >= 0; --i) {
    product <<= 1;
    if ((product & 0x100) != 0) product ^= 0x11b;
    if (((b >> i) & 1) != 0) product ^= a;
  }
  return static_cast<std::uint8_t>(product);
}

std::uint8_t slow_s_box(std::uint8_t x) {
  unsigned inverse = 0;
  for (unsigned i = 1; i < 256 && x != 0; ++i) {
    if (field_product(x, static_cast<std::uint8_t>(i)) == 1) inverse = i;
  }
  std::uint8_t out = 0x63;
  for (unsigned bit = 0; bit < 8; ++bit) {
    for (const unsigned from : {0u, 4u, 5u, 6u, 7u}) {
      out = static_cast<std::uint8_t>(out ^ (((inverse >> ((bit + from) % 8)) & 1) << bit));
    }
  }
  return out;
}

const std::array<std::uint8_t, 256>& slow_s_boxes() {
  static const std::array<std::uint8_t, 256> boxes = [] {
    std::array<std::uint8_t, 256> made{};
    for (std::size_t i = 0; i < 256; ++i) made[i] = slow_s_box(static_cast<std::uint8_t>(i));
    return made;
  }();
  return boxes;
}

Hash128 slow_round(Hash128 state, Hash128 round_key) {
  const Bytes in = test::digest_bytes(state);
  Bytes out = test::digest_bytes(round_key);
  constexpr std::uint8_t kMatrix[4] = {2, 3, 1, 1};  // a row of MixColumns; each next one turns
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t row = 0; row < 4; ++row) {
      for (std::size_t i = 0; i < 4; ++i) {
        const auto shifted = std::to_integer<std::size_t>(in[4 * ((column + i) % 4) + i]);
        out[4 * column + row] ^=
            std::byte{field_product(slow_s_boxes()[shifted], kMatrix[(i + 4 - row) % 4])};
      }
    }
  }
  return {load_le<std::uint64_t>(out.data()), load_le<std::uint64_t>(out.data() + 8)};
}

// --- the profile over any round, one block of the stripe at a time ---------------------------

template <class Round>
Hash128 reference_bytes(ByteView key, std::uint64_t seed, Round round) {
  const std::size_t stripes = key.empty() ? 1 : (key.size() + 63) / 64;
  Bytes filled(key.begin(), key.end());
  filled.resize(stripes * 64);
  std::array<Hash128, 4> lanes;
  for (std::size_t lane = 0; lane < 4; ++lane) {
    const Hash128 start = kAesKeys[3 - lane];
    Hash128 state{start.low ^ seed, start.high ^ seed};
    for (std::size_t stripe = 0; stripe < stripes; ++stripe) {
      const std::byte* from = filled.data() + 64 * stripe + 16 * lane;
      state.low ^= load_le<std::uint64_t>(from);
      state.high ^= load_le<std::uint64_t>(from + 8);
      if (stripe + 1 < stripes) state = round(round(state, start), start);
    }
    const std::uint64_t length = key.size() * 0x9e3779b97f4a7c15;
    lanes[lane] = round(state, {length, length});
  }
  const Hash128 joined = round(round(lanes[0], lanes[2]), round(lanes[1], lanes[3]));
  return round(round(joined, kAesKeys[1]), kAesKeys[2]);
}

template <class Round>
Hash128 reference_u64(std::uint64_t key, std::uint64_t seed, Round round) {
  const Hash128 state{kAesKeys[0].low ^ key ^ seed, kAesKeys[0].high ^ key ^ seed};
  return round(round(state, kAesKeys[1]), kAesKeys[2]);
}

constexpr std::array<std::uint64_t, 3> kSeeds = {0, 0x0123456789abcdef, ~std::uint64_t{0}};

Hash128 varied_block(std::uint64_t i) {
  const Bytes bytes = test::varied_bytes(16, i);
  return {load_le<std::uint64_t>(bytes.data()), load_le<std::uint64_t>(bytes.data() + 8)};
}

// Intel's AES instructions white paper (323641-001), the example of AESENC; registers high to low.
TEST(AesHash, RoundMatchesThePublishedVector) {
  EXPECT_EQ(
      aes_round({0x63746f725d53475d, 0x7b5b546573745665}, {0x5b477565726f6e5d, 0x4869285368617929}),
      (Hash128{0x8b104b58ded7e595, 0xa8311c2f9fdba3c5}));
}

TEST(AesHash, RoundEqualsTheTextbook) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Hash128 state = varied_block(i);
    const Hash128 round_key = varied_block(i + 1000);
    ASSERT_EQ(aes_round(state, round_key), slow_round(state, round_key)) << i;
  }
}

TEST(AesHash, BytesEqualTheTextbookForAllLengths) {
  for (const std::uint64_t seed : kSeeds) {
    test::expect_same_for_all_lengths(
        [seed](ByteView key) { return aes_hash_bytes(key, seed); },
        [seed](ByteView key) { return reference_bytes(key, seed, slow_round); });
  }
}

TEST(AesHash, IntegersEqualTheTextbook) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Hash128 block = varied_block(i);
    ASSERT_EQ(aes_hash_u64(block.low, block.high),
              reference_u64(block.low, block.high, slow_round));
  }
}

// A tail is filled with zeros, so only the length tells these apart.
TEST(AesHash, TrailingZerosChangeTheHash) {
  for (std::size_t size = 0; size < 200; ++size) {
    const Bytes zeros(size + 1);
    EXPECT_NE(aes_hash_bytes(zeros, 0), aes_hash_bytes(ByteView{zeros}.first(size), 0)) << size;
  }
}

TEST(AesHash, EveryByteOfALongKeyMatters) {
  Bytes key = test::varied_bytes(200);
  const Hash128 before = aes_hash_bytes(key, 7);
  for (std::byte& byte : key) {
    byte ^= std::byte{1};
    EXPECT_NE(aes_hash_bytes(key, 7), before);
    byte ^= std::byte{1};
  }
}

#ifdef __x86_64__

__attribute__((target("aes"))) Hash128 instruction_round(Hash128 state, Hash128 round_key) {
  const __m128i out = _mm_aesenc_si128(
      _mm_set_epi64x(static_cast<long long>(state.high), static_cast<long long>(state.low)),
      _mm_set_epi64x(static_cast<long long>(round_key.high),
                     static_cast<long long>(round_key.low)));
  Hash128 result;
  std::memcpy(&result, &out, sizeof result);
  return result;
}

class AesInstructions : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!__builtin_cpu_supports("aes")) GTEST_SKIP() << "This CPU has no AES instructions.";
  }
};

TEST_F(AesInstructions, RoundEqualsThePortableOne) {
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const Hash128 state = varied_block(i);
    const Hash128 round_key = varied_block(i + 100000);
    ASSERT_EQ(aes_round(state, round_key), instruction_round(state, round_key)) << i;
  }
}

TEST_F(AesInstructions, HashesEqualThePortableOnes) {
  for (const std::uint64_t seed : kSeeds) {
    test::expect_same_for_all_lengths(
        [seed](ByteView key) { return aes_hash_bytes(key, seed); },
        [seed](ByteView key) { return reference_bytes(key, seed, instruction_round); });
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::uint64_t key = varied_block(i).low;
      ASSERT_EQ(aes_hash_u64(key, seed), reference_u64(key, seed, instruction_round)) << i;
    }
  }
}

#endif

TEST(AesHash, ByTheInstructionOfTheCpuIsTheSame) {
  Bytes bytes(300);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + 1);
  for (const std::uint64_t seed : {0ULL, 1ULL, 0xfedcba9876543210ULL}) {
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      const ByteView key = ByteView{bytes}.first(size);
      ASSERT_EQ(fast_aes_bytes(key, seed), aes_hash_bytes(key, seed)) << size;
    }
    for (std::uint64_t key = 1; key != 0; key *= 2)
      ASSERT_EQ(fast_aes_u64(key - 1, seed), aes_hash_u64(key - 1, seed)) << key;
  }
}

}  // namespace
}  // namespace bloomery
