#include "bloomery/base/byte_writer.h"
#include "bloomery/formats/native/body.h"
#include "bloomery/formats/native/parts.h"

namespace bloomery {
namespace {

using internal::kBodyAlignment;
using Parts = internal::NativeParts;

void finish(Parts& parts, const Provenance& provenance) {
  parts.header.set_provenance(provenance);
  for (const ByteView part : parts.body) parts.header.body_bytes += part.size();
  parts.header.body_checksum = internal::body_checksum(parts.body);
}

template <class F>
Parts start(const F& filter, const KeyHash& hash, FunnelName funnel, NativeKind kind) {
  Parts parts{native_header_for(hash, funnel), {}, {}};
  parts.header.kind = kind;
  parts.header.bits = filter.shape().bits;
  parts.header.probes = filter.shape().probes;
  return parts;
}

Parts parts_of(const ClassicFilter<BloomeryClassic>& filter, FunnelName funnel) {
  Parts parts = start(filter, filter.dialect(), funnel, NativeKind::kClassic);
  parts.body.push_back(filter.bytes());
  finish(parts, filter.provenance());
  return parts;
}

Parts parts_of(const BlockFilter& filter, FunnelName funnel) {
  const bool is_lines = filter.block_shape().lines() > 1;
  Parts parts =
      start(filter, filter.hash(), funnel, is_lines ? NativeKind::kLines : NativeKind::kBlock);
  if (filter.block_shape().seeded) parts.header.flags |= kNativeSeeded;
  parts.body.push_back(filter.bytes());
  finish(parts, filter.provenance());
  return parts;
}

template <unsigned kCounterBits>
Parts parts_of(const CountingFilter<BloomeryClassic, kCounterBits>& filter, FunnelName funnel) {
  Parts parts = start(filter, filter.dialect(), funnel, NativeKind::kCounting);
  parts.header.counter_bits = kCounterBits;
  parts.body.push_back(filter.bytes());
  finish(parts, filter.provenance());
  return parts;
}

void push_padding(Parts& parts, std::uint64_t after_bytes) {
  static constexpr std::array<std::byte, kBodyAlignment> kZeros{};
  const std::uint64_t missing = internal::padded(after_bytes) - after_bytes;
  if (missing > 0) parts.body.push_back(ByteView{kZeros}.first(static_cast<std::size_t>(missing)));
}

Parts parts_of(const ScalableFilter<BloomeryClassic>& filter, FunnelName funnel) {
  Parts parts = start(filter, filter.dialect(), funnel, NativeKind::kScalable);
  const auto layers = filter.layers();
  const Growth& growth = filter.growth();
  parts.header.layers = static_cast<std::uint32_t>(layers.size());
  parts.header.growth = growth.factor;
  parts.header.tightening = growth.tightening;
  parts.header.max_layers = growth.max_layers;
  ByteWriter table;
  for (const auto& layer : layers) {
    table.le(layer.filter.shape().bits);
    table.le(layer.filter.shape().probes);
    table.le(std::uint32_t{0});
    table.le(layer.filter.provenance().keys_inserted.value_or(0));
    table.le(layer.goal.false_positive_rate);
  }
  parts.table = table.take();
  parts.body.push_back(parts.table);
  push_padding(parts, parts.table.size());
  for (const auto& layer : layers) {
    parts.body.push_back(layer.filter.bytes());
    push_padding(parts, layer.filter.bytes().size());
  }
  finish(parts, filter.provenance());
  return parts;
}

template <class F>
Parts parts_of(const Native<F>& native) {
  return parts_of(native.filter, native.funnel);
}
Parts parts_of(const NativeFilter& native) {
  return std::visit([](const auto& held) { return parts_of(held); }, native);
}

}  // namespace

template <class F>
internal::NativeParts internal::native_parts(const F& filter, FunnelName funnel) {
  return parts_of(filter, funnel);
}

template <AnyNative N>
std::vector<std::byte> encode_native(const N& native) {
  const Parts parts = parts_of(native);
  ByteWriter out;
  out.reserve(kNativeHeaderBytes + static_cast<std::size_t>(parts.header.body_bytes));
  out.put(encode_native_header(parts.header));
  for (const ByteView part : parts.body) out.put(part);
  return out.take();
}

template std::vector<std::byte> encode_native(const NativeClassic&);
template std::vector<std::byte> encode_native(const NativeBlock&);
template std::vector<std::byte> encode_native(const NativeCounting<2>&);
template std::vector<std::byte> encode_native(const NativeCounting<4>&);
template std::vector<std::byte> encode_native(const NativeCounting<8>&);
template std::vector<std::byte> encode_native(const NativeScalable&);
template std::vector<std::byte> encode_native(const NativeFilter&);

namespace internal {
template NativeParts native_parts(const ClassicFilter<BloomeryClassic>&, FunnelName);
template NativeParts native_parts(const BlockFilter&, FunnelName);
template NativeParts native_parts(const CountingFilter<BloomeryClassic, 2>&, FunnelName);
template NativeParts native_parts(const CountingFilter<BloomeryClassic, 4>&, FunnelName);
template NativeParts native_parts(const CountingFilter<BloomeryClassic, 8>&, FunnelName);
template NativeParts native_parts(const ScalableFilter<BloomeryClassic>&, FunnelName);
}  // namespace internal

}  // namespace bloomery
