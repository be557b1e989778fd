// Google Guava's BloomFilter (31.1 and 33.5.0): both strategies, both rules for the number of
// probes, and the bytes of writeTo. A file says neither its funnel nor its goal.
#pragma once
#include <variant>
#include <vector>

#include "bloomery/base/byte_reader.h"
#include "bloomery/formats/description.h"
#include "bloomery/formats/foreign_filter.h"
#include "bloomery/hash/murmur3.h"

namespace bloomery {

// MURMUR128_MITZ_32, the only strategy before Guava 17: 32-bit sums of the two halves of the first
// hash, probes counted from 1, negative sums complemented. It never reaches bit 2^31.
struct GuavaMitz32 {
  static constexpr std::string_view kName = "guava-mitz32";
  static constexpr std::uint64_t kBitsMultiple = 64;
  static constexpr std::uint64_t kReachableBits = std::uint64_t{1} << 31;
  struct Digest {
    std::uint32_t h1, h2;
  };
  static Digest digest(ByteView key) noexcept {
    const std::uint64_t first = murmur3_x64_128(key).low;
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first >> 32)};
  }
  static std::uint64_t probe(const Digest& d, std::uint32_t i, const Modulus& bits) noexcept {
    const std::uint32_t sum = d.h1 + (i + 1) * d.h2;
    return (sum >> 31 != 0 ? ~sum : sum) % bits;
  }
  static Result<Shape> shape_for(Goal goal);
  friend bool operator==(const GuavaMitz32&, const GuavaMitz32&) = default;
};

// MURMUR128_MITZ_64, the default since Guava 17: 64-bit sums, probes counted from 0, sign bit
// dropped.
struct GuavaMitz64 {
  static constexpr std::string_view kName = "guava-mitz64";
  static constexpr std::uint64_t kBitsMultiple = 64;
  using Digest = Hash128;
  static Digest digest(ByteView key) noexcept { return murmur3_x64_128(key); }
  static std::uint64_t probe(const Digest& d, std::uint32_t i, const Modulus& bits) noexcept {
    return ((d.low + i * d.high) & ~(std::uint64_t{1} << 63)) % bits;
  }
  static Result<Shape> shape_for(Goal goal);
  friend bool operator==(const GuavaMitz64&, const GuavaMitz64&) = default;
};

// The bits are truncated, then raised to whole longs; positions are taken modulo the raised number.
// The dialects' shape_for is that of release 33.4.
Result<Shape> shape_for_release(Goal goal, GuavaRelease release);

using GuavaFilter = std::variant<ClassicFilter<GuavaMitz32>, ClassicFilter<GuavaMitz64>>;

// The first byte says which strategy it is.
Result<GuavaFilter> decode_guava(ByteView bytes, const DecodeOptions& options);
// As the peer's readFrom: takes one filter from a longer stream and leaves what follows.
Result<GuavaFilter> read_guava(ByteReader& reader, DecodeLimits limits);

// For D = GuavaMitz32 and GuavaMitz64. Encoding fails only for a shape that the bytes cannot carry.
template <Dialect D>
Result<std::vector<std::byte>> encode_guava(const ClassicFilter<D>& filter);
// From options.sizing (keys and rate) and options.guava_release. No keys are raised to one.
template <Dialect D>
Result<ClassicFilter<D>> create_guava(const CreateOptions& options);

bool looks_like_guava(ByteView bytes);
Description describe(const ClassicFilter<GuavaMitz32>& filter);
Description describe(const ClassicFilter<GuavaMitz64>& filter);

}  // namespace bloomery
