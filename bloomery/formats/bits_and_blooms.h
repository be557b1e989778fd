// bits-and-blooms/bloom, formerly willf/bloom (v1.0.0 to v3.7.1): three generations of hashes, one
// binary container and its JSON. The container does not say which generation wrote it.
#pragma once
#include <vector>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/formats/description.h"
#include "bloomery/formats/foreign_filter.h"
#include "bloomery/hash/fnv.h"
#include "bloomery/hash/murmur3.h"

namespace bloomery {

// Probe i starts at h0 or h1 by turns and steps by h2, h3, h3, h2 and so on (v2.0.0 and later).
struct FourHashes {
  std::uint64_t h0, h1, h2, h3;
  std::uint64_t position(std::uint32_t i, const Modulus& bits) const noexcept {
    const std::uint64_t start = i % 2 == 0 ? h0 : h1;
    const std::uint64_t step = (i + 1) / 2 % 2 == 0 ? h2 : h3;
    return (start + i * step) % bits;
  }
};

struct BitsAndBlooms {  // v2.0.1 to v3.7.1
  static constexpr std::string_view kName = "bits-and-blooms";
  using Digest = FourHashes;
  static Digest digest(ByteView key) noexcept {
    const auto [plain, suffixed] = murmur3_x64_128_twice(key, std::byte{1});
    return {plain.low, plain.high, suffixed.low, suffixed.high};
  }
  static std::uint64_t probe(const Digest& d, std::uint32_t i, const Modulus& bits) noexcept {
    return d.position(i, bits);
  }
  static Result<Shape> shape_for(Goal goal);  // bits and probes both rounded up
  friend bool operator==(const BitsAndBlooms&, const BitsAndBlooms&) = default;
};

struct BitsAndBloomsV2 {  // v2.0.0 only
  static constexpr std::string_view kName = "bits-and-blooms-v2.0.0";
  using Digest = FourHashes;
  static Digest digest(ByteView key) noexcept {
    return {fnv1a_64(key, kFnvBasis64), fnv1a_64(key, kFnvBasis64 + 1),
            fnv1a_64(key, kFnvBasis64 + 2), fnv1a_64(key, kFnvBasis64 + 3)};
  }
  static std::uint64_t probe(const Digest& d, std::uint32_t i, const Modulus& bits) noexcept {
    return d.position(i, bits);
  }
  static Result<Shape> shape_for(Goal goal) { return BitsAndBlooms::shape_for(goal); }
  friend bool operator==(const BitsAndBloomsV2&, const BitsAndBloomsV2&) = default;
};

struct BitsAndBloomsV1 {  // v1.0.0, which could not be saved: a dialect without a format
  static constexpr std::string_view kName = "bits-and-blooms-v1.0.0";
  struct Digest {
    std::uint32_t low, high;
  };
  static Digest digest(ByteView key) noexcept {
    const std::uint64_t hash = fnv1_64(key);
    return {static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(hash >> 32)};
  }
  static std::uint64_t probe(const Digest& d, std::uint32_t i, const Modulus& bits) noexcept {
    return (d.low + std::uint64_t{d.high} * i) % bits;
  }
  static Result<Shape> shape_for(Goal goal);  // bits truncated, probes rounded up
  friend bool operator==(const BitsAndBloomsV1&, const BitsAndBloomsV1&) = default;
};

// Two switches of the peer's bitset, for a whole process and off by default: a file keeps its own.
struct BitsetEncoding {
  bool little_endian = false;  // bitset.LittleEndian(); the two numbers before the bitset stay big
  bool standard_base64 = false;  // bitset.Base64StdEncoding(), in JSON
  friend bool operator==(const BitsetEncoding&, const BitsetEncoding&) = default;
};

// A filter and the bitset it came in, whose length is the peer's business: New(0, 0) has one bit
// and a bitset of none, FromWithM a bitset of more bits than the filter. As safe as the filter.
template <Dialect D>
struct BitsAndBloomsFilter {
  ClassicFilter<D> filter;
  // Of the bitset as read or made. Where a key lies beyond, the peer lengthens the bitset on
  // insertion and we on encoding, to the same length.
  std::uint64_t bitset_length;
  // The words of a longer bitset from the one that holds bit size_bits() on, without the filter's
  // own bits. No key sets or asks them; empty unless the bitset is longer.
  std::vector<std::uint64_t> beyond = {};
  BitsetEncoding encoding = {};

  bool insert(ByteView key) { return filter.insert(key); }
  bool may_contain(ByteView key) const { return filter.may_contain(key); }
  Status merge(const BitsAndBloomsFilter& other);  // the longer bitset's length, as the peer's
  Result<BitsAndBloomsFilter> fold(std::uint64_t factor) const;
  BitsAndBloomsFilter clone() const { return {filter.clone(), bitset_length, beyond, encoding}; }
};

// All of these for D = BitsAndBlooms and D = BitsAndBloomsV2.
template <Dialect D = BitsAndBlooms>
Result<BitsAndBloomsFilter<D>> decode_bits_and_blooms(ByteView bytes, const DecodeOptions& options);
template <Dialect D = BitsAndBlooms>
Result<BitsAndBloomsFilter<D>> decode_bits_and_blooms_json(ByteView text,
                                                           const DecodeOptions& options);
template <Dialect D = BitsAndBlooms>
std::vector<std::byte> encode_bits_and_blooms(const BitsAndBloomsFilter<D>& filter);
template <Dialect D = BitsAndBlooms>
std::vector<std::byte> encode_bits_and_blooms_json(const BitsAndBloomsFilter<D>& filter);
// From keys and rate, or from bits and probes.
template <Dialect D = BitsAndBlooms>
Result<BitsAndBloomsFilter<D>> create_bits_and_blooms(const CreateOptions& options);

// One binary filter within a longer stream: reads exactly it, and appends exactly it.
template <Dialect D = BitsAndBlooms>
Result<BitsAndBloomsFilter<D>> read_bits_and_blooms(ByteReader& reader, DecodeLimits limits);
template <Dialect D = BitsAndBlooms>
void append_bits_and_blooms(ByteWriter& writer, const BitsAndBloomsFilter<D>& filter);

bool looks_like_bits_and_blooms(ByteView bytes);
bool looks_like_bits_and_blooms_json(ByteView text);
template <Dialect D>
Description describe(const BitsAndBloomsFilter<D>& filter);

}  // namespace bloomery
