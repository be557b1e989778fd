#include "bloomery/formats/ethereum.h"

#include "bloomery/hash/keccak.h"

namespace bloomery {
namespace {

constexpr std::size_t kBytes = 256;
constexpr std::size_t kDigits = 2 * kBytes;

EthereumBloom empty_bloom() { return EthereumBloom{EthereumDialect::kShape}; }

// The file is one big-endian number of 2048 bits; in memory bit 0 comes first.
std::size_t mirrored(std::size_t at) { return kBytes - 1 - at; }

std::optional<unsigned> hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

bool has_text_prefix(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X");
}

Error malformed(std::string text) { return {ErrorCode::kMalformed, std::move(text)}; }

std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

EthereumDialect::Digest EthereumDialect::digest(ByteView key) noexcept {
  const auto hash = keccak256(key);
  Digest positions;
  for (std::size_t i = 0; i < positions.size(); ++i)
    positions[i] = load_be<std::uint16_t>(hash.data() + 2 * i) & 2047;
  return positions;
}

Result<Shape> EthereumDialect::shape_for(Goal goal) {
  if (auto valid = checked(goal); !valid) return valid.error();
  return kShape;
}

Status ethereum_set_bytes(EthereumBloom& bloom, ByteView bytes) {
  if (bytes.size() > kBytes)
    return Error{ErrorCode::kInvalidArgument,
                 message("bloom bytes too big ", kBytes, " ", bytes.size())};
  for (std::size_t i = 0; i < bytes.size(); ++i) bloom.bytes()[bytes.size() - 1 - i] = bytes[i];
  return ok();
}

Result<EthereumBloom> ethereum_bloom_from_text(std::string_view text) {
  if (!text.empty() && !has_text_prefix(text)) return malformed("hex string without 0x prefix");
  const std::string_view digits = text.empty() ? text : text.substr(2);
  if (digits.size() % 2 != 0) return malformed("hex string of odd length");
  if (digits.size() != kDigits)
    return malformed(
        message("hex string has length ", digits.size(), ", want ", kDigits, " for Bloom"));
  EthereumBloom bloom = empty_bloom();
  for (std::size_t at = 0; at < kBytes; ++at) {
    const auto high = hex_value(digits[2 * at]);
    const auto low = hex_value(digits[2 * at + 1]);
    if (!high || !low) return malformed("invalid hex string");
    bloom.bytes()[mirrored(at)] = static_cast<std::byte>(*high << 4 | *low);
  }
  bloom.set_provenance({.goal = std::nullopt, .keys_inserted = std::nullopt});
  return bloom;
}

std::string ethereum_bloom_to_text(const EthereumBloom& bloom) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "0x";
  for (std::size_t at = 0; at < kBytes; ++at) {
    const auto value = static_cast<unsigned>(bloom.bytes()[mirrored(at)]);
    text += kHex[value >> 4];
    text += kHex[value & 15];
  }
  return text;
}

Result<EthereumBloom> decode_ethereum(ByteView bytes, const DecodeOptions& options) {
  if (options.limits.max_bytes < kBytes)
    return Error{ErrorCode::kTooLarge,
                 message("a header bloom has ", kBytes, " bytes, and the limit is ",
                         options.limits.max_bytes)};
  if (bytes.size() != kBytes) {
    const std::string_view text = without_line_end(text_of(bytes));
    if (has_text_prefix(text)) return ethereum_bloom_from_text(text);
    return malformed(message("a header bloom is ", kBytes, " bytes, or 0x and ", kDigits,
                             " hexadecimal digits, and these ", bytes.size(),
                             " bytes are neither"));
  }
  EthereumBloom bloom = empty_bloom();
  if (auto set = ethereum_set_bytes(bloom, bytes); !set) return set.error();
  bloom.set_provenance({.goal = std::nullopt, .keys_inserted = std::nullopt});
  return bloom;
}

Result<std::vector<std::byte>> encode_ethereum(const EthereumBloom& filter) {
  if (filter.shape() != EthereumDialect::kShape)
    return Error{ErrorCode::kUnsupported,
                 message("a header bloom has 2048 bits and 3 probes, not ", filter.shape().bits,
                         " and ", filter.shape().probes)};
  return std::vector<std::byte>{filter.bytes().rbegin(), filter.bytes().rend()};
}

Result<EthereumBloom> create_ethereum(const CreateOptions& options) {
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
  if (sizing.keys && sizing.rate) return EthereumBloom::for_goal({*sizing.keys, *sizing.rate});
  return empty_bloom();
}

Description describe(const EthereumBloom& filter) {
  Description description = describe_classic(filter, "ethereum");
  description.notes.emplace_back(
      "the keys of a header bloom are the addresses and topics of the block's logs, as raw bytes "
      "(20 and 32)");
  return description;
}

}  // namespace bloomery
