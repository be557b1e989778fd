#include "bloomery/formats/eventhorizon.h"

namespace bloomery {
namespace {

// The peer counts buckets in a C# int.
constexpr std::uint64_t kMaxBuckets = INT32_MAX;
// The peer reserves the byte after the last whole one even where bits % 8 == 0.
constexpr std::uint64_t file_bytes(std::uint64_t bits) { return bits / 8 + 1; }

Result<Shape> eventhorizon_shape(const SizingRequest& sizing) {
  if (!sizing.bits || !sizing.probes)
    return Error{ErrorCode::kInvalidArgument,
                 "an eventhorizon bitmap has neither a header nor a sizing rule: give its bits and "
                 "its probes"};
  if (*sizing.bits == 0 || *sizing.bits > kMaxBuckets)
    return Error{ErrorCode::kInvalidArgument, message("an eventhorizon filter has 1 to ",
                                                      kMaxBuckets, " bits, not ", *sizing.bits)};
  if (*sizing.probes > kMaxProbes)
    return Error{ErrorCode::kInvalidArgument,
                 message("a filter has at most ", kMaxProbes, " probes, not ", *sizing.probes)};
  return Shape{*sizing.bits, *sizing.probes};
}

Status check_limit(Shape shape, const DecodeLimits& limits) {
  if (shape.bytes() <= limits.max_bytes) return ok();
  return Error{ErrorCode::kTooLarge, message("the filter has ", shape.bytes(),
                                             " bytes, and the limit is ", limits.max_bytes)};
}

template <class D>
Description describe_eventhorizon(const ClassicFilter<D>& filter) {
  Description description = describe_classic(filter, D::kName);
  description.notes.emplace_back(
      "an eventhorizon bitmap does not say how it was hashed: .NET Core and .NET 5 and later use "
      "eventhorizon, 64-bit .NET Framework 4.5 uses eventhorizon:x64");
  if (filter.shape().probes == 0)
    description.notes.emplace_back("a filter without probes answers \"maybe\" to every key");
  return description;
}

}  // namespace

Result<Shape> internal::EventHorizonRule::shape_for(Goal) {
  return Error{ErrorCode::kUnsupported,
               "eventhorizon has no sizing rule: choose the bits and the probes"};
}

template <class D>
Result<ClassicFilter<D>> decode_eventhorizon(ByteView bytes, const DecodeOptions& options) {
  const auto shape = eventhorizon_shape(options.sizing);
  if (!shape) return shape.error();
  if (file_bytes(shape->bits) != bytes.size())
    return Error{ErrorCode::kMalformed,
                 message("an eventhorizon filter of ", shape->bits, " bits has ",
                         file_bytes(shape->bits), " bytes, and there are ", bytes.size())};
  if (static_cast<unsigned>(bytes.back()) >> (shape->bits % 8) != 0)
    return Error{ErrorCode::kMalformed,
                 message("bits from ", shape->bits,
                         " on are spare and zero, and the last byte sets one of them")};
  if (auto fits = check_limit(*shape, options.limits); !fits) return fits.error();
  ClassicFilter<D> filter{*shape};
  std::ranges::copy(bytes.first(std::min(bytes.size(), filter.size_bytes())),
                    filter.bytes().begin());
  filter.set_provenance({.goal = std::nullopt, .keys_inserted = std::nullopt});
  return filter;
}

template <class D>
std::vector<std::byte> encode_eventhorizon(const ClassicFilter<D>& filter) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(file_bytes(filter.size_bits())));
  const std::size_t kept = std::min(bytes.size(), filter.size_bytes());
  std::ranges::copy(filter.bytes().first(kept), bytes.begin());
  return bytes;
}

template <class D>
Result<ClassicFilter<D>> create_eventhorizon(const CreateOptions& options) {
  const auto shape = eventhorizon_shape(options.sizing);
  if (!shape) return shape.error();
  if (auto valid = checked(*shape); !valid) return valid.error();
  if (auto fits = check_limit(*shape, options.limits); !fits) return fits.error();
  ClassicFilter<D> filter{*shape};
  const SizingRequest& sizing = options.sizing;
  if (sizing.keys && sizing.rate) {
    const auto goal = checked(Goal{*sizing.keys, *sizing.rate});
    if (!goal) return goal.error();
    filter.set_provenance({.goal = *goal});
  }
  return filter;
}

template Result<ClassicFilter<EventHorizonX86>> decode_eventhorizon(ByteView, const DecodeOptions&);
template Result<ClassicFilter<EventHorizonX64>> decode_eventhorizon(ByteView, const DecodeOptions&);
template std::vector<std::byte> encode_eventhorizon(const ClassicFilter<EventHorizonX86>&);
template std::vector<std::byte> encode_eventhorizon(const ClassicFilter<EventHorizonX64>&);
template Result<ClassicFilter<EventHorizonX86>> create_eventhorizon(const CreateOptions&);
template Result<ClassicFilter<EventHorizonX64>> create_eventhorizon(const CreateOptions&);

Description describe(const ClassicFilter<EventHorizonX86>& filter) {
  return describe_eventhorizon(filter);
}
Description describe(const ClassicFilter<EventHorizonX64>& filter) {
  return describe_eventhorizon(filter);
}

EventHorizonSink::EventHorizonSink(std::uint32_t expected_input_size, EventHorizonShort short_mode)
    : expected_{expected_input_size},
      buffer_bytes_{std::bit_ceil(std::max<std::size_t>(16, expected_input_size))},
      short_mode_{short_mode} {}

Status EventHorizonSink::put(ByteView written, std::size_t advance) {
  if (size_ >= expected_)
    return Error{ErrorCode::kTooLarge, message("the sink overflows: it expects ", expected_,
                                               " bytes and holds ", size_, " already")};
  if (written.size() > buffer_bytes_ - size_)
    return Error{ErrorCode::kInvalidArgument,
                 message("argument out of range: ", written.size(), " bytes do not fit behind ",
                         size_, " in a buffer of ", buffer_bytes_)};
  // Grown as needed: an expected size is a claim, not a reason to allocate.
  if (buffer_.size() < size_ + written.size()) buffer_.resize(size_ + written.size());
  std::ranges::copy(written, buffer_.begin() + static_cast<std::ptrdiff_t>(size_));
  size_ += advance;
  return ok();
}

Status EventHorizonSink::put_byte(std::uint8_t value) {
  const std::byte byte{value};
  return put({&byte, 1}, 1);
}

Status EventHorizonSink::put_bytes(ByteView value) { return put(value, value.size()); }

Status EventHorizonSink::put_bool(bool value) { return put_byte(value ? 1 : 0); }

Status EventHorizonSink::put_int(std::int32_t value) {
  std::byte bytes[4];
  store_be(bytes, static_cast<std::uint32_t>(value));
  return put(bytes, 4);
}

Status EventHorizonSink::put_short(std::int16_t value) {
  std::byte bytes[4];
  if (short_mode_ == EventHorizonShort::kExact) {
    store_be(bytes, static_cast<std::uint32_t>(std::int32_t{value}));
    return put(bytes, 2);  // the two bytes of value lie beyond the end, for the next put to cover
  }
  store_be(bytes, static_cast<std::uint16_t>(value));
  return put(ByteView{bytes}.first(2), 2);
}

}  // namespace bloomery
