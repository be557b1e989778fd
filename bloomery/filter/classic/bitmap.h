// A row of bits that checks every index. Bit i lives in byte i/8 at bit i%8, as in all our filters.
// The C# design (EventHorizon.BloomFilter a532f07) keeps the same bits in bits/8 + 1 bytes: one
// more than here when the number of bits is a multiple of eight. That byte is its codec's work.
#pragma once
#include "bloomery/base/buffer.h"
#include "bloomery/base/result.h"

namespace bloomery {

// As safe as std::vector: many readers or one writer.
class Bitmap {
 public:
  // All bits clear. Throws std::bad_alloc.
  explicit Bitmap(std::uint64_t bits, std::pmr::memory_resource* memory = nullptr);

  // Each is kInvalidArgument, and nothing is touched, unless bit < size().
  Status set(std::uint64_t bit);
  Status remove(std::uint64_t bit);
  Result<bool> get(std::uint64_t bit) const;

  std::uint64_t size() const { return bits_; }
  std::uint64_t count() const;  // of bits that are set
  ByteView bytes() const;       // size()/8, rounded up; the bits past size() are zero

 private:
  Status checked(std::uint64_t bit) const;

  std::uint64_t bits_;
  Buffer words_;  // whole 64-bit words, so that count() needs no tail
};

}  // namespace bloomery
