#include "bloomery/hash/profile.h"

#include <array>
#include <cassert>

#include "bloomery/hash/xxh.h"

namespace bloomery {
namespace {

struct ProfileName {
  Profile profile;
  std::string_view name;
};

constexpr std::array<ProfileName, 5> kProfiles = {{
    {Profile::kXxh3, "xxh3"},
    {Profile::kAes, "aes"},
    {Profile::kMix, "mix"},
    {Profile::kSiphash, "siphash"},
    {Profile::kXxh3_64, "xxh3-64"},
}};

}  // namespace

std::string_view profile_name(Profile profile) noexcept {
  for (const ProfileName& row : kProfiles) {
    if (row.profile == profile) return row.name;
  }
  return {};
}

std::optional<Profile> find_profile(std::string_view name) noexcept {
  for (const ProfileName& row : kProfiles) {
    if (row.name == name) return row.profile;
  }
  return std::nullopt;
}

Hash128 Hasher::operator()(ByteView key) const noexcept {
  switch (profile_) {
    case Profile::kAes:
      return fast_aes_bytes(key, seed_);
    case Profile::kMix:
      assert(key.size() == sizeof(std::uint64_t));
      return mix_u64(load_le<std::uint64_t>(key.data()), seed_);
    case Profile::kSiphash:
      return siphash_x24_128(key, key_);
    case Profile::kXxh3_64:
      return with_bits_of(xxh3_64(key, seed_));
    case Profile::kXxh3:
      break;
  }
  return xxh3_128(key, seed_);
}

}  // namespace bloomery
