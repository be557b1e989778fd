#include "bloomery/filter/key_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace bloomery {
namespace {

constexpr Profile kProfiles[] = {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kMix,
                                 Profile::kSiphash};

TEST(KeyHash, IsTheHasherItselfForBytes) {
  for (const Profile profile :
       {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kSiphash}) {
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

TEST(KeyHash, SixtyFourBitsAreRefusedWhereTheySpendTheRate) {
  const KeyHash short_hash{Hasher{Profile::kXxh3_64}};
  const std::uint64_t billion = 1'000'000'000;  // of which 5.4e-11 share a hash
  EXPECT_TRUE(short_hash.check_goal({billion, 1e-8}));
  const Status refused = short_hash.check_goal({billion, 5e-9});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("--profile xxh3"), std::string::npos);
  EXPECT_TRUE((KeyHash{Hasher{Profile::kXxh3_64}, true}.check_goal({billion, 1e-12})));
  for (const Profile profile : {Profile::kXxh3, Profile::kAes, Profile::kSiphash})
    EXPECT_TRUE((KeyHash{Hasher{profile}}.check_goal({billion, 1e-12})));
}

// Why whole numbers have no such limit: their place can be computed back.
TEST(KeyHash, Xxh3OfEightBytesIsOneToOne) {
  const auto undo_shift = [](std::uint64_t value, unsigned by, std::uint64_t plus) {
    std::uint64_t known = value;
    for (int i = 0; i < 3; ++i) known = value ^ ((known >> by) + plus);
    return known;
  };
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t found = odd;
    for (int i = 0; i < 6; ++i) found *= 2 - odd * found;
    return found;
  };
  const Hasher hasher{Profile::kXxh3_64};
  constexpr std::uint64_t kPrime = 0x9FB21C651E98DF25;
  // What is left of the place once its two last steps are undone is linear in the bits of the key.
  const auto linear = [&](std::uint64_t key) {
    std::uint64_t word = undo_shift(hasher(key).low, 28, 0) * inverse(kPrime);
    return undo_shift(word, 35, 8) * inverse(kPrime);
  };
  std::vector<std::uint64_t> rows;
  for (unsigned bit = 0; bit < 64; ++bit)
    rows.push_back(linear(0) ^ linear(std::uint64_t{1} << bit));
  int rank = 0;
  for (unsigned bit = 64; bit-- > 0;) {
    const auto pivot = std::ranges::find_if(rows, [&](auto row) { return (row >> bit & 1) != 0; });
    if (pivot == rows.end()) continue;
    const std::uint64_t word = *pivot;
    rows.erase(pivot);
    for (std::uint64_t& row : rows)
      if ((row >> bit & 1) != 0) row ^= word;
    ++rank;
  }
  EXPECT_EQ(rank, 64);
  EXPECT_EQ(linear(0) ^ linear(3) ^ linear(1) ^ linear(2), 0U);
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
