// riobard/go-bloom (cdc8013): its dialect and its bare bit array, which has no header at all.
#pragma once
#include <vector>

#include "bloomery/formats/description.h"
#include "bloomery/formats/foreign_filter.h"
#include "bloomery/hash/fnv.h"

namespace bloomery {

// DoubleFNV. Both hashes of a key share their lowest bit, so for half of the keys every probe is
// even: a filter asked for 1 % delivers about 5 %. These bits are kept as they are; health()
// reports it.
struct GoBloom {
  static constexpr std::string_view kName = "go-bloom";
  static constexpr std::uint64_t kBitsMultiple = 8;
  using Digest = FnvPair;
  static Digest digest(ByteView key) noexcept { return fnv1_and_1a_64(key); }
  static std::uint64_t probe(const Digest& d, std::uint32_t i, const Modulus& bits) noexcept {
    return (d.fnv1 + i * d.fnv1a) % bits;
  }
  static Result<Shape> shape_for(Goal goal);  // whole bytes; bits and probes both truncated
  friend bool operator==(const GoBloom&, const GoBloom&) = default;
};

// The shape comes from options.sizing (keys and rate, or bits and probes) and must agree with the
// length. Zero probes are accepted here, as the peer does: such a filter answers "maybe" to every
// key.
Result<ClassicFilter<GoBloom>> decode_go_bloom(ByteView bytes, const DecodeOptions& options);
std::vector<std::byte> encode_go_bloom(const ClassicFilter<GoBloom>& filter);
Result<ClassicFilter<GoBloom>> create_go_bloom(const CreateOptions& options);
Description describe(const ClassicFilter<GoBloom>& filter);

}  // namespace bloomery
