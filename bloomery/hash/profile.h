// A profile is a named hash of our own layouts: from a key and a seed to a place (low) and bits
// (high). Its number stands in files, and what it computes never changes.
#pragma once
#include <optional>
#include <string_view>

#include "bloomery/base/bytes.h"
#include "bloomery/base/endian.h"
#include "bloomery/hash/aes_hash.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/mix.h"
#include "bloomery/hash/siphash.h"

namespace bloomery {

enum class Profile : std::uint32_t { kXxh3 = 1, kAes = 2, kMix = 3, kSiphash = 4, kXxh3_64 = 5 };

std::string_view profile_name(Profile profile) noexcept;  // empty for a number that is none
std::optional<Profile> find_profile(std::string_view name) noexcept;

// A profile with what it is seeded by. A value: copy it freely.
class Hasher {
 public:
  constexpr Hasher() noexcept = default;  // xxh3 with seed 0
  // siphash takes its key and ignores the seed; the others take the seed and ignore the key.
  constexpr explicit Hasher(Profile profile, std::uint64_t seed = 0, SipKey key = {}) noexcept
      : profile_{profile}, seed_{seed}, key_{key} {}

  constexpr Profile profile() const noexcept { return profile_; }
  constexpr std::uint64_t seed() const noexcept { return seed_; }
  constexpr const SipKey& key() const noexcept { return key_; }

  // False for mix, which hashes 64-bit integers only.
  constexpr bool accepts_bytes() const noexcept { return profile_ != Profile::kMix; }

  // Precondition: accepts_bytes(), or key is the 8 little-endian bytes of an integer. A caller
  // that takes byte keys from outside refuses them first.
  Hash128 operator()(ByteView key) const noexcept;

  // An integer handed over directly. For xxh3, xxh3-64 and siphash that is its 8 little-endian
  // bytes; aes has a shorter way for integers, so there it differs from hashing those bytes.
  Hash128 operator()(std::uint64_t key) const noexcept {
    if (profile_ == Profile::kMix) return mix_u64(key, seed_);
    if (profile_ == Profile::kAes) return fast_aes_u64(key, seed_);
    std::byte bytes[sizeof key];
    store_le(bytes, key);
    return (*this)(ByteView{bytes});
  }

  friend bool operator==(const Hasher&, const Hasher&) = default;

 private:
  Profile profile_ = Profile::kXxh3;
  std::uint64_t seed_ = 0;
  SipKey key_{};
};

}  // namespace bloomery
