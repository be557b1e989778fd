// The first 128 bytes of our own file: what is in it, and the design it was made for. The body that
// follows is the filter's memory, so a mapped file is a filter.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

#include "bloomery/filter/key_hash.h"
#include "bloomery/filter/provenance.h"
#include "bloomery/formats/options.h"
#include "bloomery/layout/part.h"

namespace bloomery {

enum class NativeKind : std::uint16_t {
  kClassic = 1,
  kBlock = 2,
  kCounting = 3,
  kScalable = 4,
  kLines = 5  // since 0.2: a block filter with several lines per key
};

inline constexpr std::array<char, 8> kNativeMagic = {'B', 'L', 'O', 'O', 'M', 'E', 'R', 'Y'};
inline constexpr std::uint16_t kNativeVersion = 1;
inline constexpr std::uint32_t kNativeSeeded = 1;  // block filters only
inline constexpr std::uint32_t kNativeKeyed = 2;   // with a secret: the profile is siphash
inline constexpr std::uint32_t kNativeOpen = 4;    // open for writing: body_checksum is not valid
inline constexpr std::uint32_t kNativePart = 8;    // block and lines only: one part of the filter
inline constexpr std::uint32_t kForeignDialect = 0x80000000;      // in `profile`
inline constexpr std::uint64_t kNativeCountUnknown = UINT64_MAX;  // in keys_inserted

struct NativeHeader {  // little-endian
  std::array<char, 8> magic = kNativeMagic;
  std::uint16_t version = kNativeVersion;
  NativeKind kind{};
  std::uint32_t flags = 0;
  std::uint32_t profile = 0;
  FunnelName funnel{};
  std::uint8_t counter_bits = 0;  // 0 unless kCounting
  std::uint8_t reserved0 = 0;
  std::uint64_t bits = 0;  // of the first layer; in a part, of the whole filter
  std::uint32_t probes = 0;
  std::uint32_t layers = 1;  // 1 unless kScalable
  std::uint64_t seed = 0;
  std::uint64_t secret_check = 0;  // 0 unless keyed; never the secret
  std::uint64_t goal_keys = 0;     // the design, so that health can be judged for ever after;
  double goal_rate = 0;            // both 0 where there was none
  std::uint64_t keys_inserted = 0;
  std::uint64_t body_bytes = 0;
  std::uint64_t body_checksum = 0;  // XXH3-64 of the body
  double tightening = 0;            // kScalable
  std::uint32_t growth = 0;
  std::uint32_t max_layers = 0;
  std::uint32_t part_index = 0;  // both 0 unless kNativePart
  std::uint32_t part_count = 0;
  std::uint64_t header_checksum = 0;  // XXH3-64 of the 120 bytes before it

  Shape shape() const { return {bits, probes}; }
  BlockShape block_shape() const {
    return {bits / block::kBlockBits, probes, (flags & kNativeSeeded) != 0};
  }
  bool is_blocks() const { return kind == NativeKind::kBlock || kind == NativeKind::kLines; }
  bool is_open() const { return (flags & kNativeOpen) != 0; }
  bool is_part() const { return (flags & kNativePart) != 0; }
  Part part() const { return is_part() ? Part{part_index, part_count} : Part{}; }
  Growth growth_rule() const { return {growth, tightening, max_layers}; }
  Provenance provenance() const;
  void set_provenance(const Provenance& provenance);
};
inline constexpr std::size_t kNativeHeaderBytes = 128;
static_assert(sizeof(NativeHeader) == kNativeHeaderBytes);
static_assert(std::is_trivially_copyable_v<NativeHeader>);
static_assert(offsetof(NativeHeader, bits) == 24 && offsetof(NativeHeader, body_bytes) == 80);
static_assert(offsetof(NativeHeader, tightening) == 96 &&
              offsetof(NativeHeader, part_index) == 112);

using NativeHeaderBytes = std::array<std::byte, kNativeHeaderBytes>;

// Validates every field, and that body_bytes is what the fields say and what remains of the file.
// kTooLarge when the body is larger than options.limits; a mapping has no such limit and passes its
// own. A scalable filter's layers lie in its body and are checked there. kUnsupported for a part,
// which is not a filter.
Result<NativeHeader> decode_native_header(ByteView first_bytes, std::uint64_t file_bytes,
                                          DecodeLimits limits);
// The same for a part: kUnsupported for a whole filter.
Result<NativeHeader> decode_native_part_header(ByteView first_bytes, std::uint64_t file_bytes,
                                               DecodeLimits limits);
NativeHeaderBytes encode_native_header(NativeHeader header);  // computes header_checksum

// The hash that the header names. A keyed filter needs the right secret: kInvalidArgument without
// one, kMalformed with another one than it was made with.
Result<KeyHash> native_hash(const NativeHeader& header, const std::optional<SipKey>& sip_key);
// The profile, seed, check value and funnel of a filter about to be saved. Precondition: the hash
// takes whole numbers exactly when the funnel is u64, as every filter of this file does.
NativeHeader native_header_for(const KeyHash& hash, FunnelName funnel);

// How many bytes the body has; 0 for a scalable filter, whose body says so itself.
std::uint64_t native_body_bytes(const NativeHeader& header);

}  // namespace bloomery
