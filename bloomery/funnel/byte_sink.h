// Receives the bytes of one key, or of many one after the other. Numbers are little-endian unless
// the sink was made big-endian, and the same funnels write to either.
#pragma once
#include <concepts>
#include <vector>

#include "bloomery/base/endian.h"

namespace bloomery {

enum class ByteOrder : std::uint8_t { kLittle, kBig };

// As safe as std::vector. A local sink costs no allocation for keys of up to kSmallBytes.
class ByteSink {
 public:
  static constexpr std::size_t kSmallBytes = 64;

  explicit ByteSink(ByteOrder order = ByteOrder::kLittle) : order_{order} {}
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  void put_u8(std::uint8_t value) { put_bits(value); }
  void put_u16(std::uint16_t value) { put_bits(value); }
  void put_u32(std::uint32_t value) { put_bits(value); }
  void put_u64(std::uint64_t value) { put_bits(value); }
  void put_bool(bool value) { put_bits(std::uint8_t{value}); }
  // Raw IEEE bits: -0.0 and 0.0 are two keys, and so is every NaN of other bits.
  void put_f32(float value) { put_bits(std::bit_cast<std::uint32_t>(value)); }
  void put_f64(double value) { put_bits(std::bit_cast<std::uint64_t>(value)); }
  // Precondition: `bytes` are not the sink's own.
  void put_bytes(ByteView bytes) {
    if (!bytes.empty()) append(bytes.data(), bytes.size());
  }
  // A nested key: sink.put(AddressFunnel{}, person.address).
  template <class F, class Key>
  requires std::invocable<const F&, const Key&, ByteSink&>
  void put(const F& funnel, const Key& key) { funnel(key, *this); }

  // Valid until the next put or reset.
  ByteView bytes() const {
    return large_.empty() ? ByteView{small_, small_size_} : ByteView{large_};
  }
  std::size_t size() const { return bytes().size(); }
  ByteOrder order() const { return order_; }
  void reset() {
    small_size_ = 0;
    large_.clear();
  }

 private:
  template <std::unsigned_integral T>
  void put_bits(T value) {
    if constexpr (sizeof(T) > 1) {
      if (order_ == ByteOrder::kBig) value = byte_swapped(value);
    }
    std::byte raw[sizeof(T)];
    store_le(raw, value);
    append(raw, sizeof(T));
  }
  void append(const std::byte* from, std::size_t size) {
    if (!large_.empty() || size > kSmallBytes - small_size_) return append_large(from, size);
    std::memcpy(small_ + small_size_, from, size);
    small_size_ += size;
  }
  void append_large(const std::byte* from, std::size_t size);

  ByteOrder order_;
  std::size_t small_size_ = 0;
  std::byte small_[kSmallBytes];  // uninitialised on purpose: clearing it would cost as much as a
                                  // short key
  std::vector<std::byte> large_;  // all the bytes, once they outgrow small_
};

}  // namespace bloomery
