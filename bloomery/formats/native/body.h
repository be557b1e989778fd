// The body of our own file, shared by its encoder, decoder and mapping. Not for users.
#pragma once
#include <memory>

#include "bloomery/formats/native/native.h"

struct XXH3_state_s;  // of xxHash

namespace bloomery::internal {

// Each layer's row in a scalable filter's body: {u64 bits, u32 probes, u32 zero, u64 keys_inserted,
// f64 rate}. The table and each layer's bits are padded to this.
inline constexpr std::uint64_t kLayerRowBytes = 32;
inline constexpr std::uint64_t kBodyAlignment = 64;

// Precondition: bytes <= 2^63.
constexpr std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + kBodyAlignment - 1) / kBodyAlignment * kBodyAlignment;
}

// XXH3-64 of bytes that come in parts.
class BodyChecksum {
 public:
  BodyChecksum();  // throws std::bad_alloc
  void add(ByteView part);
  std::uint64_t value() const;

 private:
  struct Release {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Release> state_;
};
// Of the parts as if they were one.
std::uint64_t body_checksum(std::span<const ByteView> parts);

// Bits past the last position or counter must be zero, or two equal filters would differ.
bool zero_past(ByteView body, std::uint64_t used_bits);

// The window set of each block of a seeded filter: one that does not exist would be read past the
// end of their table.
Status check_seeds(std::span<const std::uint8_t> seeds);

Error damaged_body();
Error dirty_end();

}  // namespace bloomery::internal
