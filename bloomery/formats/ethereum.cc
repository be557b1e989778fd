#include "bloomery/formats/ethereum.h"

#include <algorithm>

#include "bloomery/base/error.h"

namespace bloomery {
namespace {

constexpr std::size_t kBytes = EthereumBloom::kBytes;

EthereumFilter empty_filter() { return EthereumFilter{EthereumDialect::kShape}; }

std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

Result<EthereumBloom> bloom_from_file(ByteView bytes) {
  if (bytes.size() == kBytes) return EthereumBloom::from_bytes(bytes);
  const std::string_view text = without_line_end(text_of(bytes));
  if (text.starts_with("0x") || text.starts_with("0X")) return EthereumBloom::from_text(text);
  return malformed(message("a header bloom is ", kBytes, " bytes, or 0x and ", 2 * kBytes,
                           " hexadecimal digits, and these ", bytes.size(), " bytes are neither"));
}

}  // namespace

Result<Shape> EthereumDialect::shape_for(Goal goal) {
  if (auto valid = checked(goal); !valid) return valid.error();
  return kShape;
}

// The file is one big-endian number of 2048 bits; in memory bit 0 comes first.
Result<EthereumFilter> decode_ethereum(ByteView bytes, const DecodeOptions& options) {
  if (options.limits.max_bytes < kBytes)
    return Error{ErrorCode::kTooLarge,
                 message("a header bloom has ", kBytes, " bytes, and the limit is ",
                         options.limits.max_bytes)};
  const auto bloom = bloom_from_file(bytes);
  if (!bloom) return bloom.error();
  EthereumFilter filter = empty_filter();
  std::ranges::reverse_copy(bloom->bytes(), filter.bytes().begin());
  filter.set_provenance({.goal = std::nullopt, .keys_inserted = std::nullopt});
  return filter;
}

Result<std::vector<std::byte>> encode_ethereum(const EthereumFilter& filter) {
  if (filter.shape() != EthereumDialect::kShape)
    return Error{ErrorCode::kUnsupported,
                 message("a header bloom has 2048 bits and 3 probes, not ", filter.shape().bits,
                         " and ", filter.shape().probes)};
  return std::vector<std::byte>{filter.bytes().rbegin(), filter.bytes().rend()};
}

Result<EthereumFilter> create_ethereum(const CreateOptions& options) {
  const SizingRequest& sizing = options.sizing;
  const Shape shape{sizing.bits.value_or(EthereumDialect::kShape.bits),
                    sizing.probes.value_or(EthereumDialect::kShape.probes)};
  if (shape != EthereumDialect::kShape)
    return Error{ErrorCode::kInvalidArgument,
                 "a header bloom has 2048 bits and 3 probes: its size is not to be chosen"};
  if (options.limits.max_bytes < kBytes)
    return Error{ErrorCode::kTooLarge,
                 message("a header bloom has ", kBytes, " bytes, and the limit is ",
                         options.limits.max_bytes)};
  if (sizing.keys && sizing.rate) return EthereumFilter::for_goal({*sizing.keys, *sizing.rate});
  return empty_filter();
}

Description describe(const EthereumFilter& filter) {
  Description description = describe_classic(filter, "ethereum");
  description.notes.emplace_back(
      "the keys of a header bloom are the addresses and topics of the block's logs, as raw bytes "
      "(20 and 32)");
  return description;
}

}  // namespace bloomery
