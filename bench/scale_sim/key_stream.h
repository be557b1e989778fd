// Keys that fall into one part of a filter, drawn from their hashes or found by hashing numbers.
#pragma once
#include <array>
#include <span>

#include "bloomery/base/bytes.h"
#include "bloomery/base/split_mix.h"
#include "bloomery/hash/profile.h"
#include "bloomery/layout/part.h"

namespace bloomery::bench {

// The places whose block lies in a part.
struct PlaceRange {
  std::uint64_t first;
  std::uint64_t last;

  static PlaceRange of(Part part, std::uint64_t blocks);
  bool holds(std::uint64_t place) const { return place - first <= last - first; }
  double share() const;  // of all places
  // One of them, all equally likely.
  std::uint64_t draw(internal::SplitMix64& random) const;
};

inline constexpr std::size_t kKeyBytes = 16;
using KeyBytes = std::array<std::byte, kKeyBytes>;

// Which keys, and how a stream of them begins: equal sources give equal keys.
struct KeySource {
  enum class Kind : std::uint8_t {
    kInverse,  // of all keys of one size those that fall into the part, each as likely
    kScan,     // the numbers first, first + 1, ... below end, as eight bytes: those that fall there
  };
  Kind kind = Kind::kInverse;
  std::uint64_t seed = 1;   // of the inverse
  std::uint64_t count = 0;  // of the inverse: how many keys
  std::uint64_t first = 0;  // of the scan
  std::uint64_t end = 0;
};

// Profiles whose keys can be drawn from their hashes: xxh3, xxh3-64 and mix.
bool has_inverse(Profile profile);

class KeyStream {
 public:
  // Precondition: for the inverse has_inverse(profile); for the scan not aes.
  KeyStream(Profile profile, PlaceRange places, const KeySource& source)
      : hasher_{profile}, places_{places}, source_{source}, random_{source.seed} {}

  // The next keys, at most kMost, valid until the next call; none at the end.
  std::span<const ByteView> next();
  static constexpr std::size_t kMost = 4096;

 private:
  std::size_t draw();
  std::size_t scan();

  Hasher hasher_;
  PlaceRange places_;
  KeySource source_;
  internal::SplitMix64 random_;
  std::array<KeyBytes, kMost> keys_;
  std::array<ByteView, kMost> views_;
};

}  // namespace bloomery::bench
