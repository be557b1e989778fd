// Parquet's hybrid of run lengths and bit packing: levels, indexes into a dictionary, booleans.
#pragma once
#include <span>

#include "bloomery/base/byte_reader.h"

namespace bloomery {

class HybridDecoder {
 public:
  HybridDecoder() : HybridDecoder({}, 0) {}
  // Precondition: width <= 32; the bytes outlive it. With width 0 every number is 0.
  HybridDecoder(ByteView bytes, unsigned width) : reader_{bytes}, width_{width} {}

  // False where the bytes end before, or are malformed.
  bool read(std::span<std::uint32_t> into);

 private:
  bool next_run();

  ByteReader reader_;
  unsigned width_;
  std::uint64_t left_ = 0;  // of the run
  bool is_packed_ = false;
  std::uint32_t value_ = 0;      // of a run of equal numbers
  ByteView packed_ = {};         // of a packed run
  std::size_t next_packed_ = 0;  // place in it
};

}  // namespace bloomery
