#include "bloomery/base/byte_writer.h"
#include "bloomery/base/file.h"
#include "bloomery/formats/native/body.h"

namespace bloomery {
namespace {

using internal::kBodyAlignment;

// A file about to be written: the header, and views of the memory that is its body.
struct Parts {
  NativeHeader header;
  std::vector<std::byte> table;  // of a scalable filter; body views it
  std::vector<ByteView> body;
};

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
  Parts parts = start(filter, filter.hash(), funnel, NativeKind::kBlock);
  if (filter.block_shape().seeded) parts.header.flags |= kNativeSeeded;
  parts.body.push_back(filter.bytes());
  finish(parts, filter.provenance());
  return parts;
}

Parts parts_of(const NativeClassic& native) { return parts_of(native.filter, native.funnel); }
Parts parts_of(const NativeBlock& native) { return parts_of(native.filter, native.funnel); }

template <unsigned kCounterBits>
Parts parts_of(const NativeCounting<kCounterBits>& native) {
  Parts parts = start(native.filter, native.filter.dialect(), native.funnel, NativeKind::kCounting);
  parts.header.counter_bits = kCounterBits;
  parts.body.push_back(native.filter.bytes());
  finish(parts, native.filter.provenance());
  return parts;
}

void push_padding(Parts& parts, std::uint64_t after_bytes) {
  static constexpr std::array<std::byte, kBodyAlignment> kZeros{};
  const std::uint64_t missing = internal::padded(after_bytes) - after_bytes;
  if (missing > 0) parts.body.push_back(ByteView{kZeros}.first(static_cast<std::size_t>(missing)));
}

Parts parts_of(const NativeScalable& native) {
  Parts parts = start(native.filter, native.filter.dialect(), native.funnel, NativeKind::kScalable);
  const auto layers = native.filter.layers();
  const Growth& growth = native.filter.growth();
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
  finish(parts, native.filter.provenance());
  return parts;
}

template <class N>
std::vector<std::byte> encode(const N& native) {
  const Parts parts = parts_of(native);
  ByteWriter out;
  out.reserve(kNativeHeaderBytes + static_cast<std::size_t>(parts.header.body_bytes));
  out.put(encode_native_header(parts.header));
  for (const ByteView part : parts.body) out.put(part);
  return out.take();
}

Status save(Parts parts, const std::filesystem::path& path, const FileLock* held) {
  const NativeHeaderBytes header = encode_native_header(parts.header);
  parts.body.insert(parts.body.begin(), ByteView{header});
  constexpr LockWait kWait{.timeout = std::chrono::seconds{10}};
  return held != nullptr ? save_file(path, parts.body, *held)
                         : replace_file(path, parts.body, kWait);
}

}  // namespace

std::vector<std::byte> encode_native(const NativeClassic& native) { return encode(native); }
std::vector<std::byte> encode_native(const NativeBlock& native) { return encode(native); }
std::vector<std::byte> encode_native(const NativeCounting<2>& native) { return encode(native); }
std::vector<std::byte> encode_native(const NativeCounting<4>& native) { return encode(native); }
std::vector<std::byte> encode_native(const NativeCounting<8>& native) { return encode(native); }
std::vector<std::byte> encode_native(const NativeScalable& native) { return encode(native); }
std::vector<std::byte> encode_native(const NativeFilter& native) {
  return std::visit([](const auto& held) { return encode(held); }, native);
}

Status save_native(const NativeClassic& native, const std::filesystem::path& path,
                   const FileLock* held) {
  return save(parts_of(native), path, held);
}
Status save_native(const NativeBlock& native, const std::filesystem::path& path,
                   const FileLock* held) {
  return save(parts_of(native), path, held);
}
Status save_native(const NativeCounting<2>& native, const std::filesystem::path& path,
                   const FileLock* held) {
  return save(parts_of(native), path, held);
}
Status save_native(const NativeCounting<4>& native, const std::filesystem::path& path,
                   const FileLock* held) {
  return save(parts_of(native), path, held);
}
Status save_native(const NativeCounting<8>& native, const std::filesystem::path& path,
                   const FileLock* held) {
  return save(parts_of(native), path, held);
}
Status save_native(const NativeScalable& native, const std::filesystem::path& path,
                   const FileLock* held) {
  return save(parts_of(native), path, held);
}
Status save_native(const NativeFilter& native, const std::filesystem::path& path,
                   const FileLock* held) {
  return std::visit([&](const auto& one) { return save(parts_of(one), path, held); }, native);
}
Status save_native(const ClassicFilter<BloomeryClassic>& filter, FunnelName funnel,
                   const std::filesystem::path& path, const FileLock* held) {
  return save(parts_of(filter, funnel), path, held);
}
Status save_native(const BlockFilter& filter, FunnelName funnel, const std::filesystem::path& path,
                   const FileLock* held) {
  return save(parts_of(filter, funnel), path, held);
}

}  // namespace bloomery
