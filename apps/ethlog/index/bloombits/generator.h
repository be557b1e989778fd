// Turns the header blooms of a section of blocks into 2048 bit vectors, one for each bit of a
// bloom: what a search reads of a section is then three vectors a key, and not every bloom.
#pragma once
#include <span>
#include <vector>

#include "bloomery/base/buffer.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// Block i of the section is bit 7 - i % 8 of byte i / 8 of a vector. The errors are go-ethereum's,
// to the letter (bloombits of v1.15.5).
class Generator {
 public:
  static constexpr std::size_t kVectors = 2048;
  static constexpr std::size_t kBloomBytes = kVectors / 8;
  static constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 22;  // 1 GiB of vectors

  // kTooLarge beyond kMostBlocks.
  static Result<Generator> make(std::uint64_t section_size);

  // Blooms come in order, each once. A failed call changes nothing.
  Status add_bloom(std::uint64_t index, std::span<const std::byte, kBloomBytes> bloom);
  // The vector of a bit, once all blooms are there. Lives as long as the generator.
  Result<ByteView> bitset(std::size_t bit) const;

 private:
  explicit Generator(std::uint64_t section_size);
  void turn_waiting();

  // As many as fill a cache line of each vector.
  static constexpr std::size_t kMostWaiting = 512;

  std::size_t section_size_;
  std::size_t next_ = 0;
  std::vector<std::byte> waiting_;  // the last blooms, mirrored so that bit 0 comes first
  Buffer vectors_;
};

}  // namespace bloomery::ethlog
