// The bloom of an Ethereum block header or receipt as a plain value of 256 bytes (bloom9 of
// go-ethereum 1.14.12): which bits a key sets, and the blooms of logs, receipts and blocks.
#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery {

// The bit numbers of a key, each below 2048; they may coincide.
using EthereumBits = std::array<std::uint16_t, 3>;

// Of the 32 digest bytes only the first six matter. This is the one definition of the bits.
EthereumBits bloom_bits(ByteView key) noexcept;
// The same for many keys, hashed side by side. Precondition: equal sizes.
void bloom_bits(std::span<const ByteView> keys, std::span<EthereumBits> bits) noexcept;

class EthereumBloom {
 public:
  static constexpr std::size_t kBytes = 256;
  static constexpr std::size_t kBits = 8 * kBytes;

  EthereumBloom() = default;  // no bit set
  // Fewer bytes are the last ones, after zeros. kInvalidArgument for more than kBytes.
  static Result<EthereumBloom> from_bytes(ByteView bytes);
  // `0x` and 512 hexadecimal digits. The errors are go-ethereum's, to the letter.
  static Result<EthereumBloom> from_text(std::string_view text);

  // The bytes become the last ones of the 256; those before keep what they held.
  Status set_bytes(ByteView bytes);
  void insert(ByteView key) noexcept { insert(bloom_bits(key)); }
  void insert(const EthereumBits& bits) noexcept {
    for (const std::uint16_t bit : bits) bytes_[byte_of(bit)] |= mask_of(bit);
  }
  void insert_batch(std::span<const ByteView> keys) noexcept;
  bool may_contain(ByteView key) const noexcept { return may_contain(bloom_bits(key)); }
  bool may_contain(const EthereumBits& bits) const noexcept {
    return has_bit(bits[0]) && has_bit(bits[1]) && has_bit(bits[2]);
  }
  // Precondition: below kBits.
  bool has_bit(std::size_t bit) const noexcept {
    return (bytes_[byte_of(bit)] & mask_of(bit)) != std::byte{0};
  }
  void merge(const EthereumBloom& other) noexcept;

  // As in a header: one big-endian number of 2048 bits.
  std::span<const std::byte, kBytes> bytes() const noexcept { return bytes_; }
  std::string to_text() const;
  friend bool operator==(const EthereumBloom&, const EthereumBloom&) = default;

 private:
  static constexpr std::size_t byte_of(std::size_t bit) { return kBytes - 1 - bit / 8; }
  static constexpr std::byte mask_of(std::size_t bit) { return std::byte{1} << (bit % 8); }

  std::array<std::byte, kBytes> bytes_{};
};

// What of a log goes into a bloom. Its data never does, and the place of a topic is not part of it.
struct EthereumLogView {
  ByteView address;
  std::span<const ByteView> topics;
};
using EthereumReceiptView = std::span<const EthereumLogView>;

EthereumBloom logs_bloom(std::span<const EthereumLogView> logs) noexcept;
// Of all logs of all receipts: what the block's header has.
EthereumBloom create_bloom(std::span<const EthereumReceiptView> receipts) noexcept;
// One for each receipt. Precondition: equal sizes.
void receipt_blooms(std::span<const EthereumReceiptView> receipts,
                    std::span<EthereumBloom> blooms) noexcept;
// The union of blooms that are there already.
EthereumBloom merge_blooms(std::span<const EthereumBloom> blooms) noexcept;

// Puts keys into blooms, many at a time, since the hash is what costs. For logs of any type: the
// functions above are made of it. The keys must live until flush(), which the destructor calls.
class EthereumBloomBatch {
 public:
  EthereumBloomBatch() = default;
  EthereumBloomBatch(const EthereumBloomBatch&) = delete;
  EthereumBloomBatch& operator=(const EthereumBloomBatch&) = delete;
  ~EthereumBloomBatch() { flush(); }
  void insert(ByteView key, EthereumBloom& into) noexcept {
    keys_[count_] = key;
    blooms_[count_] = &into;
    if (++count_ == kKeys) flush();
  }
  void flush() noexcept;

 private:
  static constexpr std::size_t kKeys = 64;
  std::array<ByteView, kKeys> keys_;
  std::array<EthereumBloom*, kKeys> blooms_;
  std::size_t count_ = 0;
};

}  // namespace bloomery
