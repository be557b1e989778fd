// The block filter as its definition says it, one key after the other: what every kernel must
// equal.
#pragma once
#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bloomery/layout/lines.h"
#include "bloomery/simd/block_kernels.h"

namespace bloomery::testing {

inline constexpr Profile kProfiles[] = {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes,
                                        Profile::kMix, Profile::kSiphash};

// One line per key, then two to four.
inline constexpr std::uint32_t kAllProbes[] = {4, 5, 6, 7, 8, 16, 24, 32};

inline Hasher hasher_of(Profile profile, std::uint64_t seed) {
  return Hasher{profile, seed, sip_key_from_secret(bytes_of("a secret"))};
}

class BlockModel {
 public:
  // Of the target only its shape counts, not its memory.
  explicit BlockModel(const simd::BlockTarget& target)
      : target_{target}, blocks_(static_cast<std::size_t>(target.count)) {}

  bool insert(Hash128 hash) {
    const bool is_new = !may_contain(hash);
    for (const Hash128 line : lines_of(hash)) {
      const block::BlockMask mask = mask_of(line);
      block::BlockMask& into = block_of(line);
      for (std::size_t i = 0; i < mask.size(); ++i) into[i] |= mask[i];
    }
    return is_new;
  }
  bool may_contain(Hash128 hash) {
    bool all = true;
    for (const Hash128 line : lines_of(hash)) {
      const block::BlockMask mask = mask_of(line);
      const block::BlockMask& held = block_of(line);
      for (std::size_t i = 0; i < mask.size(); ++i) all = all && (held[i] & mask[i]) == mask[i];
    }
    return all;
  }
  ByteView bytes() const { return std::as_bytes(std::span{blocks_}); }

 private:
  std::vector<Hash128> lines_of(Hash128 hash) const {
    std::vector<Hash128> lines{hash};
    while (lines.size() < block::lines_of(target_.probes)) {
      const auto next = block::next_line({lines.back().low, lines.back().high});
      lines.push_back({next.place, next.bits});
    }
    return lines;
  }
  std::size_t number_of(Hash128 hash) const {
    return static_cast<std::size_t>(block::block_of(hash.low, target_.count));
  }
  block::BlockMask& block_of(Hash128 hash) { return blocks_[number_of(hash)]; }
  block::BlockMask mask_of(Hash128 hash) const {
    const std::uint32_t seed = target_.seeds == nullptr ? 0 : target_.seeds[number_of(hash)];
    return block::mask_of(hash.low, hash.high, block::probes_in_line(target_.probes), seed);
  }

  simd::BlockTarget target_;
  std::vector<block::BlockMask> blocks_;
};

// Not std::ranges::equal, which a sanitizer makes slow.
inline bool same_bytes(ByteView a, ByteView b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

inline std::vector<std::uint8_t> random_seeds(std::uint64_t blocks) {
  std::mt19937_64 random{blocks};
  std::vector<std::uint8_t> seeds(static_cast<std::size_t>(blocks));
  for (std::uint8_t& seed : seeds) seed = static_cast<std::uint8_t>(random() % block::kWindowSets);
  return seeds;
}

// Keys of which some repeat at once, some a little later and some much later.
inline std::vector<std::uint64_t> repeating_numbers(std::size_t count) {
  std::mt19937_64 random{count};
  std::vector<std::uint64_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t back = random() % 8 == 0 ? random() % (i + 1) : random() % 4;
    numbers[i] = i > 0 && random() % 4 == 0 ? numbers[i - std::min(back, i)] : random();
  }
  return numbers;
}

// Texts of 0 to 199 bytes, and views of them; the same number gives the same text.
class Texts {
 public:
  explicit Texts(std::span<const std::uint64_t> numbers) {
    for (const std::uint64_t number : numbers) {
      std::mt19937_64 random{number};
      std::string& text = texts_.emplace_back(random() % 200, ' ');
      for (char& letter : text) letter = static_cast<char>(random() & 0xff);
    }
    for (const std::string& text : texts_) views_.push_back(bytes_of(text));
  }
  Texts(const Texts&) = delete;  // the views point into the texts
  Texts& operator=(const Texts&) = delete;
  std::span<const ByteView> views() const { return views_; }

 private:
  std::vector<std::string> texts_;
  std::vector<ByteView> views_;
};

template <class Key>
std::vector<Hash128> hashes_of(const Hasher& hasher, std::span<const Key> keys) {
  std::vector<Hash128> hashes;
  for (const Key& key : keys) hashes.push_back(hasher(key));
  return hashes;
}

}  // namespace bloomery::testing
