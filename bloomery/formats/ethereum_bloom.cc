#include "bloomery/formats/ethereum_bloom.h"

#include <algorithm>
#include <optional>

#include "bloomery/base/endian.h"
#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/keccak.h"
#include "bloomery/simd/keccak_kernels.h"

namespace bloomery {
namespace {

constexpr std::size_t kDigits = 2 * EthereumBloom::kBytes;

EthereumBits bits_of_digest(const std::array<std::byte, 32>& digest) {
  EthereumBits bits;
  for (std::size_t i = 0; i < bits.size(); ++i)
    bits[i] = load_be<std::uint16_t>(digest.data() + 2 * i) % EthereumBloom::kBits;
  return bits;
}

std::optional<unsigned> hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

void insert_logs(EthereumBloomBatch& batch, std::span<const EthereumLogView> logs,
                 EthereumBloom& into) {
  for (const EthereumLogView& log : logs) {
    batch.insert(log.address, into);
    for (const ByteView topic : log.topics) batch.insert(topic, into);
  }
}

}  // namespace

EthereumBits bloom_bits(ByteView key) noexcept { return bits_of_digest(keccak256(key)); }

void bloom_bits(std::span<const ByteView> keys, std::span<EthereumBits> bits) noexcept {
  const simd::KeccakKernels& kernels = simd::active_keccak_kernels();
  std::array<simd::Keccak256Digest, 64> digests;
  for (std::size_t done = 0; done < keys.size(); done += digests.size()) {
    const std::size_t count = std::min(digests.size(), keys.size() - done);
    kernels.hash(keys.data() + done, count, digests.data());
    for (std::size_t i = 0; i < count; ++i) bits[done + i] = bits_of_digest(digests[i]);
  }
}

Result<EthereumBloom> EthereumBloom::from_bytes(ByteView bytes) {
  EthereumBloom bloom;
  if (auto set = bloom.set_bytes(bytes); !set) return set.error();
  return bloom;
}

Result<EthereumBloom> EthereumBloom::from_text(std::string_view text) {
  const bool prefixed = text.starts_with("0x") || text.starts_with("0X");
  if (!text.empty() && !prefixed) return malformed("hex string without 0x prefix");
  const std::string_view digits = text.empty() ? text : text.substr(2);
  if (digits.size() % 2 != 0) return malformed("hex string of odd length");
  if (digits.size() != kDigits)
    return malformed(
        message("hex string has length ", digits.size(), ", want ", kDigits, " for Bloom"));
  EthereumBloom bloom;
  for (std::size_t at = 0; at < kBytes; ++at) {
    const auto high = hex_value(digits[2 * at]);
    const auto low = hex_value(digits[2 * at + 1]);
    if (!high || !low) return malformed("invalid hex string");
    bloom.bytes_[at] = static_cast<std::byte>(*high << 4 | *low);
  }
  return bloom;
}

Status EthereumBloom::set_bytes(ByteView bytes) {
  if (bytes.size() > kBytes)
    return Error{ErrorCode::kInvalidArgument,
                 message("bloom bytes too big ", kBytes, " ", bytes.size())};
  std::ranges::copy(bytes, bytes_.end() - static_cast<std::ptrdiff_t>(bytes.size()));
  return ok();
}

void EthereumBloom::insert_batch(std::span<const ByteView> keys) noexcept {
  EthereumBloomBatch batch;
  for (const ByteView key : keys) batch.insert(key, *this);
}

void EthereumBloom::merge(const EthereumBloom& other) noexcept {
  for (std::size_t i = 0; i < kBytes; ++i) bytes_[i] |= other.bytes_[i];
}

std::string EthereumBloom::to_text() const {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "0x";
  for (const std::byte byte : bytes_) {
    text += kHex[static_cast<unsigned>(byte) >> 4];
    text += kHex[static_cast<unsigned>(byte) & 15];
  }
  return text;
}

EthereumBloom logs_bloom(std::span<const EthereumLogView> logs) noexcept {
  return create_bloom({&logs, 1});
}

EthereumBloom create_bloom(std::span<const EthereumReceiptView> receipts) noexcept {
  EthereumBloom bloom;
  EthereumBloomBatch batch;
  for (const EthereumReceiptView logs : receipts) insert_logs(batch, logs, bloom);
  batch.flush();
  return bloom;
}

void receipt_blooms(std::span<const EthereumReceiptView> receipts,
                    std::span<EthereumBloom> blooms) noexcept {
  EthereumBloomBatch batch;
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    blooms[i] = {};
    insert_logs(batch, receipts[i], blooms[i]);
  }
}

EthereumBloom merge_blooms(std::span<const EthereumBloom> blooms) noexcept {
  EthereumBloom all;
  for (const EthereumBloom& bloom : blooms) all.merge(bloom);
  return all;
}

void EthereumBloomBatch::flush() noexcept {
  std::array<EthereumBits, kKeys> bits;
  bloom_bits({keys_.data(), count_}, {bits.data(), count_});
  for (std::size_t i = 0; i < count_; ++i) blooms_[i]->insert(bits[i]);
  count_ = 0;
}

}  // namespace bloomery
