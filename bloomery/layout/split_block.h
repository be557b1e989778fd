// The split-block layout (Apache Parquet's): 256-bit blocks, one bit in each of a block's eight
// 32-bit words. These functions are the definition; faster code computes the same bits.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bloomery::split_block {

inline constexpr std::size_t kBlockBytes = 32;
inline constexpr std::uint64_t kBlockBits = 256;
inline constexpr std::uint32_t kWordsPerBlock = 8;

constexpr std::uint32_t salt(std::uint32_t word) {
  constexpr std::uint32_t kSalt[kWordsPerBlock] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                                   0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
  return kSalt[word];
}
// The upper half of the hash scales to a block, so only 2^32 blocks can be reached.
constexpr std::uint64_t block_of(std::uint64_t hash, std::uint64_t blocks) {
  return ((hash >> 32) * blocks) >> 32;
}
constexpr std::uint32_t word_mask(std::uint64_t hash, std::uint32_t word) {
  return std::uint32_t{1} << ((static_cast<std::uint32_t>(hash) * salt(word)) >> 27);
}

}  // namespace bloomery::split_block
