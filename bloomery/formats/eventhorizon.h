// EventHorizon.BloomFilter (a532f07), a C# design: its two dialects, its bare bitmap without a
// header, and the sink that receives its keys.
#pragma once
#include <vector>

#include "bloomery/filter/classic/classic.h"
#include "bloomery/formats/description.h"
#include "bloomery/formats/options.h"
#include "bloomery/hash/murmur3.h"

namespace bloomery {
namespace internal {

// The sum runs through 64 bits with wrap-around and loses its sign only then; buckets need not be a
// multiple of anything.
struct EventHorizonRule {
  using Digest = Hash128;
  static std::uint64_t probe(const Digest& d, std::uint32_t i, const Modulus& bits) noexcept {
    return ((d.low + i * d.high) & (UINT64_MAX >> 1)) % bits;
  }
  static Result<Shape> shape_for(Goal goal);  // always refuses: the peer has no sizing rule
  friend bool operator==(const EventHorizonRule&, const EventHorizonRule&) = default;
};

}  // namespace internal

// murmurhash-net (1d9e8bb) picks x64 only in builds for .NET Framework 4.5 and 3.5; its .NET
// Standard build, which .NET Core and .NET 5 and later get, is x86 even in a 64-bit process.
struct EventHorizonX86 : internal::EventHorizonRule {
  static constexpr std::string_view kName = "eventhorizon";
  static Digest digest(ByteView key) noexcept { return murmur3_x86_128(key); }
  friend bool operator==(const EventHorizonX86&, const EventHorizonX86&) = default;
};
struct EventHorizonX64 : internal::EventHorizonRule {
  static constexpr std::string_view kName = "eventhorizon:x64";
  static Digest digest(ByteView key) noexcept { return murmur3_x64_128(key); }
  friend bool operator==(const EventHorizonX64&, const EventHorizonX64&) = default;
};

// D is one of the two dialects above. Bits and probes come from options.sizing and must agree with
// the length, bits/8 + 1 bytes. Zero probes are accepted here, as the peer does: such a filter
// answers "maybe" to every key.
template <class D>
Result<ClassicFilter<D>> decode_eventhorizon(ByteView bytes, const DecodeOptions& options);
template <class D>
std::vector<std::byte> encode_eventhorizon(const ClassicFilter<D>& filter);
template <class D>
Result<ClassicFilter<D>> create_eventhorizon(const CreateOptions& options);
Description describe(const ClassicFilter<EventHorizonX86>& filter);
Description describe(const ClassicFilter<EventHorizonX64>& filter);

// PutShort of the peer writes the sign-extended 32-bit value and moves on by two: what stays are
// two bytes of sign, and the value is lost. kFixed stores the value.
enum class EventHorizonShort : std::uint8_t { kExact, kFixed };

// The peer's HashSink: big-endian, of limited size, and each put may fail. A failed put changes
// nothing. kTooLarge is the peer's OverflowException, kInvalidArgument its
// ArgumentOutOfRangeException.
class EventHorizonSink {
 public:
  explicit EventHorizonSink(std::uint32_t expected_input_size = 128,
                            EventHorizonShort short_mode = EventHorizonShort::kExact);

  Status put_byte(std::uint8_t value);
  Status put_bytes(ByteView value);  // a string is its encoded bytes, without a length
  Status put_bool(bool value);
  Status put_int(std::int32_t value);
  Status put_short(std::int16_t value);
  // A nested key: funnel(key, sink) returns Status.
  template <class NestedFunnel, class Key>
  Status put_object(const NestedFunnel& funnel, const Key& key) {
    return funnel(key, *this);
  }

  ByteView bytes() const { return ByteView{buffer_}.first(size_); }
  void reset() { size_ = 0; }

 private:
  Status put(ByteView written, std::size_t advance);

  std::size_t expected_;
  std::size_t buffer_bytes_;  // what the peer's buffer really holds
  EventHorizonShort short_mode_;
  std::size_t size_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace bloomery
