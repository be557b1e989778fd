// The 256-byte bloom of an Ethereum block header (bloom9 of go-ethereum 1.14.12): its dialect, its
// bytes and its text form.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "bloomery/filter/classic.h"
#include "bloomery/formats/description.h"
#include "bloomery/formats/options.h"

namespace bloomery {

// Of the 32 digest bytes only the first six matter. The three positions may coincide.
struct EthereumDialect {
  static constexpr std::string_view kName = "ethereum";
  static constexpr Shape kShape{2048, 3};
  static constexpr std::uint64_t kBitsMultiple = 2048;  // the size is part of the protocol: no fold
  using Digest = std::array<std::uint16_t, 3>;
  static Digest digest(ByteView key) noexcept;
  static std::uint64_t probe(const Digest& d, std::uint32_t i, const Modulus& bits) noexcept {
    return std::uint64_t{d[i % 3]} % bits;
  }
  static Result<Shape> shape_for(Goal goal);  // one shape, whatever the goal
  friend bool operator==(const EthereumDialect&, const EthereumDialect&) = default;
};

using EthereumBloom = ClassicFilter<EthereumDialect>;

// 256 raw bytes, or the text form with or without a line end.
Result<EthereumBloom> decode_ethereum(ByteView bytes, const DecodeOptions& options);
// kUnsupported for a filter of another shape.
Result<std::vector<std::byte>> encode_ethereum(const EthereumBloom& filter);
// Keys and rate, if given, are the goal that health is judged by; they change no bit.
Result<EthereumBloom> create_ethereum(const CreateOptions& options);
Description describe(const EthereumBloom& filter);

// `0x` and 512 hexadecimal digits. The errors are go-ethereum's, to the letter.
Result<EthereumBloom> ethereum_bloom_from_text(std::string_view text);
// Precondition: the bloom has EthereumDialect::kShape.
std::string ethereum_bloom_to_text(const EthereumBloom& bloom);

// SetBytes: the bytes become the last ones of the 256; those before keep what they held.
// Precondition: the bloom has EthereumDialect::kShape.
Status ethereum_set_bytes(EthereumBloom& bloom, ByteView bytes);

}  // namespace bloomery
