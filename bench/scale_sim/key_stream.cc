#include "bench/scale_sim/key_stream.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "bench/scale_sim/inverse_hash.h"
#include "bloomery/base/endian.h"
#include "bloomery/simd/block_kernels.h"

namespace bloomery::bench {
namespace {

// The smallest place of a block: block_of(place, blocks) >= block. 2^64 for the end of all.
block::Product first_place_of(std::uint64_t block, std::uint64_t blocks) {
  return ((block::Product{block} << 64) + blocks - 1) / blocks;
}

}  // namespace

PlaceRange PlaceRange::of(Part part, std::uint64_t blocks) {
  const auto range = blocks_of(part, blocks);
  return {static_cast<std::uint64_t>(first_place_of(range.first, blocks)),
          static_cast<std::uint64_t>(first_place_of(range.end, blocks) - 1)};
}

double PlaceRange::share() const { return std::ldexp(static_cast<double>(last - first) + 1, -64); }

std::uint64_t PlaceRange::draw(internal::SplitMix64& random) const {
  // A remainder or a product would favour some places: numbers past the range are drawn again.
  const int unused = std::countl_zero((last - first) | 1);
  for (;;) {
    const std::uint64_t offset = random() >> unused;
    if (offset <= last - first) return first + offset;
  }
}

bool has_inverse(Profile profile) {
  return profile == Profile::kXxh3 || profile == Profile::kXxh3_64 || profile == Profile::kMix;
}

std::span<const ByteView> KeyStream::next() {
  const std::size_t count = source_.kind == KeySource::Kind::kInverse ? draw() : scan();
  const bool has_sixteen =
      source_.kind == KeySource::Kind::kInverse && hasher_.profile() == Profile::kXxh3;
  for (std::size_t i = 0; i < count; ++i)
    views_[i] = ByteView{keys_[i]}.first(has_sixteen ? 16 : 8);
  return std::span{views_}.first(count);
}

std::size_t KeyStream::draw() {
  assert(has_inverse(hasher_.profile()));
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kMost, source_.count));
  source_.count -= count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t place = places_.draw(random_);
    if (hasher_.profile() == Profile::kXxh3) {
      const Key16 key = key_of_xxh3_128({place, random_()});
      store_le(keys_[i].data(), key.low);
      store_le(keys_[i].data() + 8, key.high);
    } else {
      store_le(keys_[i].data(),
               hasher_.profile() == Profile::kMix ? key_of_mix(place) : key_of_xxh3_64(place));
    }
  }
  return count;
}

std::size_t KeyStream::scan() {
  constexpr std::size_t kGroup = 512;
  std::array<std::uint64_t, kGroup> numbers;
  std::array<Hash128, kGroup> hashes;
  std::size_t found = 0;
  // Whole groups only: what is found of one must fit.
  while (source_.first < source_.end && found + kGroup <= kMost) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(kGroup, source_.end - source_.first));
    for (std::size_t i = 0; i < count; ++i) numbers[i] = source_.first++;
    simd::active_block_kernels().hash_numbers(hasher_, numbers.data(), count, hashes.data());
    for (std::size_t i = 0; i < count; ++i)
      if (places_.holds(hashes[i].low)) store_le(keys_[found++].data(), numbers[i]);
  }
  return found;
}

}  // namespace bloomery::bench
