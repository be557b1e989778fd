// The bloom of an Ethereum block header as a filter among others: its dialect and its bytes. The
// plain value that log search works with, and which bits a key sets, are in ethereum_bloom.h.
#pragma once
#include <vector>

#include "bloomery/filter/classic/classic.h"
#include "bloomery/formats/description.h"
#include "bloomery/formats/ethereum_bloom.h"
#include "bloomery/formats/options.h"

namespace bloomery {

struct EthereumDialect {
  static constexpr std::string_view kName = "ethereum";
  static constexpr Shape kShape{2048, 3};
  static constexpr std::uint64_t kBitsMultiple = 2048;  // the size is part of the protocol: no fold
  using Digest = EthereumBits;
  static Digest digest(ByteView key) noexcept { return bloom_bits(key); }
  static std::uint64_t probe(const Digest& d, std::uint32_t i, const Modulus& bits) noexcept {
    return std::uint64_t{d[i % 3]} % bits;
  }
  static Result<Shape> shape_for(Goal goal);  // one shape for every goal
  friend bool operator==(const EthereumDialect&, const EthereumDialect&) = default;
};

using EthereumFilter = ClassicFilter<EthereumDialect>;

// 256 raw bytes, or the text form with or without a line end.
Result<EthereumFilter> decode_ethereum(ByteView bytes, const DecodeOptions& options);
// kUnsupported for a filter of another shape.
Result<std::vector<std::byte>> encode_ethereum(const EthereumFilter& filter);
// Keys and rate, if given, are the goal that health is judged by; they change no bit.
Result<EthereumFilter> create_ethereum(const CreateOptions& options);
Description describe(const EthereumFilter& filter);

}  // namespace bloomery
