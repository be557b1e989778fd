#include "bloomery/hash/blake2b.h"

#include <gtest/gtest.h>
#include <sodium/crypto_generichash.h>
#include <sodium/crypto_shorthash_siphash24.h>

#include <algorithm>

#include "bloomery/hash/siphash.h"
#include "tests/hash/hash_inputs.h"

namespace bloomery {
namespace {

TEST(Blake2b, GivesThePublishedDigests) {
  EXPECT_EQ(test::to_hex(blake2b_256({})),
            "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(test::to_hex(blake2b_256(bytes_of("abc"))),
            "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(Blake2b, EqualsLibsodiumAtEveryLength) {
  const auto bytes = test::counted_bytes(600);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    std::array<std::byte, 32> expected;
    crypto_generichash(reinterpret_cast<unsigned char*>(expected.data()), expected.size(),
                       reinterpret_cast<const unsigned char*>(bytes.data()), size, nullptr, 0);
    EXPECT_EQ(blake2b_256(ByteView{bytes}.first(size)), expected) << size;
    const SipKey key = sip_key_from_secret(ByteView{bytes}.first(size));
    EXPECT_TRUE(std::ranges::equal(key.bytes, std::span{expected}.first(16)));

    std::array<std::byte, 16> sip;
    crypto_shorthash_siphashx24(reinterpret_cast<unsigned char*>(sip.data()),
                                reinterpret_cast<const unsigned char*>(bytes.data()), size,
                                reinterpret_cast<const unsigned char*>(key.bytes.data()));
    EXPECT_EQ(test::to_hex(test::digest_bytes(siphash_x24_128(ByteView{bytes}.first(size), key))),
              test::to_hex(sip));
  }
}

}  // namespace
}  // namespace bloomery
