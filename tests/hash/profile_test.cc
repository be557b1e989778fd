#include "bloomery/hash/profile.h"

#include <set>
#include <type_traits>

#include "bloomery/hash/xxh.h"
#include "tests/hash/hash_inputs.h"

namespace bloomery {
namespace {

using test::Bytes;

static_assert(std::is_trivially_copyable_v<Hasher>);

constexpr std::array<Profile, 5> kAll = {Profile::kXxh3, Profile::kAes, Profile::kMix,
                                         Profile::kSiphash, Profile::kXxh3_64};

std::uint64_t number(const nlohmann::json& hex) {
  return std::stoull(hex.get<std::string>(), nullptr, 16);
}

Hasher hasher_of(const nlohmann::json& one) {
  const std::optional<Profile> profile = find_profile(one["profile"].get<std::string>());
  EXPECT_TRUE(profile.has_value());
  if (profile != Profile::kSiphash) return Hasher{*profile, number(one["seed"])};
  return Hasher{*profile, 0,
                sip_key_from_secret(test::bytes_from_hex(one["secret"].get<std::string>()))};
}

TEST(Profile, MatchesTheGoldenVectors) {
  const nlohmann::json cases = test::golden("profiles.json")["cases"];
  std::set<std::string> seen;
  for (const nlohmann::json& one : cases) {
    const Bytes key = test::bytes_from_hex(one["key"].get<std::string>());
    const Hash128 expected{number(one["place"]), number(one["bits"])};
    const Hasher hasher = hasher_of(one);
    if (one["funnel"] == "bytes") {
      EXPECT_EQ(hasher(ByteView{key}), expected) << one;
    } else {
      ASSERT_EQ(key.size(), 8u);
      EXPECT_EQ(hasher(load_le<std::uint64_t>(key.data())), expected) << one;
    }
    seen.insert(one["profile"].get<std::string>() + " " + one["funnel"].get<std::string>());
  }
  EXPECT_EQ(seen.size(), 9u);  // mix has no byte keys
  EXPECT_EQ(cases.size(), 65u);
}

TEST(Profile, NamesAndNumbersAreFixed) {
  EXPECT_EQ(static_cast<std::uint32_t>(*find_profile("xxh3")), 1u);
  EXPECT_EQ(static_cast<std::uint32_t>(*find_profile("aes")), 2u);
  EXPECT_EQ(static_cast<std::uint32_t>(*find_profile("mix")), 3u);
  EXPECT_EQ(static_cast<std::uint32_t>(*find_profile("siphash")), 4u);
  EXPECT_EQ(static_cast<std::uint32_t>(*find_profile("xxh3-64")), 5u);
  for (const Profile profile : kAll) EXPECT_EQ(find_profile(profile_name(profile)), profile);
}

TEST(Profile, RefusesNamesAndNumbersThatAreNone) {
  EXPECT_FALSE(find_profile("").has_value());
  EXPECT_FALSE(find_profile("XXH3").has_value());
  EXPECT_FALSE(find_profile("xxh").has_value());
  EXPECT_EQ(profile_name(static_cast<Profile>(0)), "");
  EXPECT_EQ(profile_name(static_cast<Profile>(6)), "");
}

TEST(Hasher, DefaultsToXxh3WithSeedZero) {
  EXPECT_EQ(Hasher{}.profile(), Profile::kXxh3);
  EXPECT_EQ(Hasher{}.seed(), 0u);
  EXPECT_EQ(Hasher{}, Hasher{Profile::kXxh3});
  EXPECT_EQ(Hasher{}(bytes_of("key")), xxh3_128(bytes_of("key"), 0));
}

TEST(Hasher, KeepsWhatItWasGiven) {
  const SipKey key = sip_key_from_secret(bytes_of("secret"));
  const Hasher hasher{Profile::kSiphash, 9, key};
  EXPECT_EQ(hasher.profile(), Profile::kSiphash);
  EXPECT_EQ(hasher.seed(), 9u);
  EXPECT_EQ(hasher.key(), key);
  EXPECT_NE(hasher, (Hasher{Profile::kSiphash, 9}));
  EXPECT_NE(hasher, (Hasher{Profile::kSiphash, 8, key}));
  EXPECT_NE(hasher, (Hasher{Profile::kXxh3, 9, key}));
}

TEST(Hasher, OnlyMixRefusesBytes) {
  for (const Profile profile : kAll) {
    EXPECT_EQ(Hasher{profile}.accepts_bytes(), profile != Profile::kMix);
  }
}

TEST(Hasher, DirectIntegerIsItsBytesExceptUnderAes) {
  const std::uint64_t key = 0x8877665544332211;
  Bytes bytes(8);
  store_le(bytes.data(), key);
  for (const Profile profile : kAll) {
    const Hasher hasher{profile, 5};
    EXPECT_EQ(hasher(key) == hasher(ByteView{bytes}), profile != Profile::kAes)
        << profile_name(profile);
  }
}

TEST(Hasher, SeedOrSecretChangesTheHash) {
  for (const Profile profile : {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kMix}) {
    EXPECT_NE((Hasher{profile, 1}(std::uint64_t{7})), (Hasher{profile, 2}(std::uint64_t{7})));
  }
  const SipKey one = sip_key_from_secret(bytes_of("one"));
  const SipKey two = sip_key_from_secret(bytes_of("two"));
  EXPECT_NE((Hasher{Profile::kSiphash, 0, one}(bytes_of("key"))),
            (Hasher{Profile::kSiphash, 0, two}(bytes_of("key"))));
  EXPECT_EQ((Hasher{Profile::kSiphash, 1, one}(bytes_of("key"))),
            (Hasher{Profile::kSiphash, 2, one}(bytes_of("key"))));
}

#ifndef NDEBUG
TEST(HasherDeathTest, MixAssertsOnBytesThatAreNoInteger) {
  EXPECT_DEATH(static_cast<void>(Hasher{Profile::kMix}(bytes_of("seven b"))), "size");
}
#endif

}  // namespace
}  // namespace bloomery
