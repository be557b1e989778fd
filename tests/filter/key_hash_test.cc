#include "bloomery/filter/key_hash.h"

#include <gtest/gtest.h>

#include <vector>

namespace bloomery {
namespace {

constexpr Profile kProfiles[] = {Profile::kXxh3, Profile::kAes, Profile::kMix, Profile::kSiphash};

TEST(KeyHash, IsTheHasherItselfForBytes) {
  for (const Profile profile : {Profile::kXxh3, Profile::kAes, Profile::kSiphash}) {
    const KeyHash hash{Hasher{profile, 7}};
    for (const std::string_view key : {"", "a", "12345678", "a key of more than sixteen bytes"})
      EXPECT_EQ(hash.digest(bytes_of(key)), hash.hasher(bytes_of(key)));
  }
}

TEST(KeyHash, HandsEightBytesToTheProfileAsANumber) {
  const std::uint64_t number = 0x8877665544332211;
  const std::byte raw[] = {std::byte{0x11}, std::byte{0x22}, std::byte{0x33}, std::byte{0x44},
                           std::byte{0x55}, std::byte{0x66}, std::byte{0x77}, std::byte{0x88}};
  for (const Profile profile : kProfiles) {
    const KeyHash hash{Hasher{profile, 7}, true};
    EXPECT_EQ(hash.digest(raw), hash.hasher(number)) << profile_name(profile);
  }
  // Only there does the way matter: aes has a shorter one for numbers.
  EXPECT_NE((KeyHash{Hasher{Profile::kAes, 7}, false}.digest(raw)),
            (KeyHash{Hasher{Profile::kAes, 7}, true}.digest(raw)));
}

TEST(KeyHash, GivesKeysOfOtherLengthsDigestsOfTheirOwn) {
  const std::vector<std::byte> zeros(20);
  for (const Profile profile : kProfiles) {
    const KeyHash hash{Hasher{profile, 7}, true};
    std::vector<Hash128> digests;
    for (std::size_t size = 0; size <= zeros.size(); ++size)
      digests.push_back(hash.digest(ByteView{zeros}.first(size)));
    for (std::size_t i = 0; i < digests.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_NE(digests[i], digests[j]) << profile_name(profile) << " " << i << " " << j;
    EXPECT_EQ(digests[5], hash.digest(ByteView{zeros}.last(5)));
  }
}

TEST(KeyHash, TheSeedCountsForStrangersToo) {
  const KeyHash one{Hasher{Profile::kMix, 1}, true};
  const KeyHash other{Hasher{Profile::kMix, 2}, true};
  EXPECT_NE(one.digest(bytes_of("no number")), other.digest(bytes_of("no number")));
}

TEST(KeyHash, IsEqualWhereEveryKeyGetsTheSameDigest) {
  EXPECT_EQ(KeyHash{}, (KeyHash{Hasher{Profile::kXxh3, 0}, false}));
  EXPECT_NE(KeyHash{}, (KeyHash{Hasher{}, true}));
  EXPECT_NE(KeyHash{}, (KeyHash{Hasher{Profile::kXxh3, 1}}));
  EXPECT_NE(KeyHash{}, (KeyHash{Hasher{Profile::kAes}}));
  const SipKey key = sip_key_from_secret(bytes_of("one"));
  EXPECT_NE((KeyHash{Hasher{Profile::kSiphash, 0, key}}), (KeyHash{Hasher{Profile::kSiphash}}));
}

}  // namespace
}  // namespace bloomery
