#include "bloomery/hash/siphash.h"

#include <algorithm>
#include <bit>

#include "tests/hash/hash_inputs.h"

namespace bloomery {
namespace {

SipKey counted_key() {
  SipKey key;
  std::ranges::copy(test::counted_bytes(16), key.bytes.begin());
  return key;
}

struct SlowSip {
  std::uint64_t v0, v1, v2, v3;

  void rounds(int count) {
    for (; count > 0; --count) {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
    }
  }
  void absorb(std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
  std::uint64_t squeeze() {
    rounds(4);
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

// SipHash-2-4 with its 128-bit ending, byte by byte.
Hash128 slow_siphash(ByteView key, const SipKey& sip_key) {
  const auto k0 = load_le<std::uint64_t>(sip_key.bytes.data());
  const auto k1 = load_le<std::uint64_t>(sip_key.bytes.data() + 8);
  SlowSip sip{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d ^ 0xee, k0 ^ 0x6c7967656e657261,
              k1 ^ 0x7465646279746573};
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    word |= std::to_integer<std::uint64_t>(key[i]) << (8 * (i % 8));
    if (i % 8 != 7) continue;
    sip.absorb(word);
    word = 0;
  }
  sip.absorb(word | (std::uint64_t{key.size()} << 56));
  sip.v2 ^= 0xee;
  const std::uint64_t low = sip.squeeze();
  sip.v1 ^= 0xdd;
  return {low, sip.squeeze()};
}

// From the reference implementation (Aumasson and Bernstein, vectors.h): key 00..0f, input 00, 01,
// ...
TEST(Siphash, MatchesTheReferenceVectors) {
  const auto digest = [](std::size_t size) {
    return test::to_hex(
        test::digest_bytes(siphash_x24_128(test::counted_bytes(size), counted_key())));
  };
  EXPECT_EQ(digest(0), "a3817f04ba25a8e66df67214c7550293");
  EXPECT_EQ(digest(1), "da87c1d86b99af44347659119b22fc45");
  EXPECT_EQ(digest(2), "8177228da4a45dc7fca38bdef60affe4");
  EXPECT_EQ(digest(8), "3b62a9ba6258f5610f83e264f31497b4");
  EXPECT_EQ(digest(15), "5493e99933b0a8117e08ec0f97cfc3d9");
  EXPECT_EQ(digest(63), "5150d1772f50834a503e069a973fbd7c");
}

TEST(Siphash, EqualsTheSlowReference) {
  const SipKey key = sip_key_from_secret(bytes_of("\xff any secret"));
  test::expect_same_for_all_lengths([&](ByteView bytes) { return siphash_x24_128(bytes, key); },
                                    [&](ByteView bytes) { return slow_siphash(bytes, key); });
}

// RFC 7693's BLAKE2b with 32 bytes of output; values as other implementations give them.
TEST(Siphash, KeyIsTheFirstHalfOfBlake2bOfTheSecret) {
  const auto key = [](std::string_view secret) {
    return test::to_hex(sip_key_from_secret(bytes_of(secret)).bytes);
  };
  EXPECT_EQ(key(""), "0e5751c026e543b2e8ab2eb06099daa1");
  EXPECT_EQ(key("abc"), "bddd813c634239723171ef3fee98579b");
}

TEST(Siphash, SecretsAndChecksMatchTheGoldenVectors) {
  const nlohmann::json secrets = test::golden("profiles.json")["secrets"];
  ASSERT_EQ(secrets.size(), 3u);
  for (const nlohmann::json& one : secrets) {
    const SipKey key = sip_key_from_secret(test::bytes_from_hex(one["secret"].get<std::string>()));
    EXPECT_EQ(test::to_hex(key.bytes), one["sip_key"].get<std::string>());
    EXPECT_EQ(secret_check(key), std::stoull(one["secret_check"].get<std::string>(), nullptr, 16));
  }
}

TEST(Siphash, CheckTellsSecretsApart) {
  EXPECT_NE(secret_check(sip_key_from_secret(bytes_of("one"))),
            secret_check(sip_key_from_secret(bytes_of("two"))));
}

}  // namespace
}  // namespace bloomery
