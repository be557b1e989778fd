#include <algorithm>
#include <array>
#include <cmath>

#include "bloomery/formats/native/body.h"
#include "bloomery/formats/native/body_source.h"
#include "bloomery/formats/native/layer_table.h"

namespace bloomery {
namespace {

using internal::BodySource;
using internal::padded;

// Reads the body into an empty filter and compares its checksum, unless the file was left open for
// writing and has none. The body's length was checked with the header.
template <class F>
Result<Native<F>> read_body(F empty, const NativeHeader& header, BodySource& source) {
  Native<F> native{std::move(empty), header.funnel, header.is_open()};
  if (auto read = source.read(native.filter.bytes()); !read) return read.error();
  const ByteView body = std::as_const(native.filter).bytes();
  if (!native.was_open && internal::body_checksum(std::span{&body, 1}) != header.body_checksum)
    return internal::damaged_body();
  return native;
}

template <class F>
NativeFilter with_provenance(Native<F> native, Provenance provenance) {
  if (native.was_open)
    provenance.keys_inserted =
        static_cast<std::uint64_t>(std::llround(native.filter.health().estimated_keys));
  native.filter.set_provenance(provenance);
  return NativeFilter{std::move(native)};
}

// One array of bits or counters.
template <class F>
Result<NativeFilter> decode_array(const NativeHeader& header, const KeyHash& hash,
                                  std::uint64_t used_bits, BodySource& source) {
  auto native = read_body(F{header.shape(), BloomeryClassic{hash}}, header, source);
  if (!native) return native.error();
  if (!internal::zero_past(std::as_const(native->filter).bytes(), used_bits))
    return internal::dirty_end();
  return with_provenance(std::move(*native), header.provenance());
}

Result<NativeFilter> decode_block(const NativeHeader& header, const KeyHash& hash,
                                  BodySource& source) {
  auto native = read_body(BlockFilter{header.block_shape(), hash}, header, source);
  if (!native) return native.error();
  if (auto valid = internal::check_seeds(native->filter.view().seeds()); !valid)
    return valid.error();
  return with_provenance(std::move(*native), header.provenance());
}

Result<NativeFilter> decode_scalable(const NativeHeader& header, const KeyHash& hash,
                                     BodySource& source) {
  const auto table_bytes = internal::layer_table_bytes(header);
  if (!table_bytes) return table_bytes.error();
  std::vector<std::byte> table(*table_bytes);
  if (auto read = source.read(table); !read) return read.error();
  const auto rows = internal::read_layer_table(table, header);
  if (!rows) return rows.error();

  std::vector<Layer<BloomeryClassic>> layers;
  std::vector<ByteView> parts{table};
  std::array<std::byte, internal::kBodyAlignment> zeros{};
  for (const internal::LayerRow& row : *rows) {
    layers.push_back({ClassicFilter<BloomeryClassic>{row.shape, BloomeryClassic{hash}}, row.goal});
    auto& filter = layers.back().filter;
    filter.set_provenance({.goal = row.goal, .keys_inserted = row.keys_inserted});
    const auto padding = ByteSpan{zeros}.first(
        static_cast<std::size_t>(padded(filter.size_bytes()) - filter.size_bytes()));
    for (const ByteSpan part : {filter.bytes(), padding}) {
      if (auto read = source.read(part); !read) return read.error();
      parts.push_back(part);
    }
    if (!internal::zero_past(filter.bytes(), row.shape.bits) || !internal::zero_past(padding, 0))
      return internal::dirty_end();
  }
  if (internal::body_checksum(parts) != header.body_checksum) return internal::damaged_body();
  const Goal goal{header.goal_keys, header.goal_rate};
  return NativeFilter{
      NativeScalable{ScalableFilter<BloomeryClassic>{goal, header.growth_rule(), std::move(layers)},
                     header.funnel}};
}

}  // namespace

Result<NativeFilter> internal::decode_body(const NativeHeader& header, BodySource source,
                                           const std::optional<SipKey>& sip_key) {
  const auto hash = native_hash(header, sip_key);
  if (!hash) return hash.error();
  if (header.kind == NativeKind::kScalable) return decode_scalable(header, *hash, source);
  if (header.is_blocks()) return decode_block(header, *hash, source);
  if (header.kind == NativeKind::kClassic)
    return decode_array<ClassicFilter<BloomeryClassic>>(header, *hash, header.bits, source);
  const std::uint64_t used_bits = header.bits * header.counter_bits;
  if (header.counter_bits == 2)
    return decode_array<CountingFilter<BloomeryClassic, 2>>(header, *hash, used_bits, source);
  if (header.counter_bits == 4)
    return decode_array<CountingFilter<BloomeryClassic, 4>>(header, *hash, used_bits, source);
  return decode_array<CountingFilter<BloomeryClassic, 8>>(header, *hash, used_bits, source);
}

bool looks_like_native(ByteView bytes) {
  return bytes.size() >= kNativeMagic.size() &&
         std::ranges::equal(bytes.first(kNativeMagic.size()),
                            std::as_bytes(std::span{kNativeMagic}));
}

Result<NativeFilter> decode_native(ByteView bytes, const DecodeOptions& options) {
  const auto header = decode_native_header(bytes, bytes.size(), options.limits);
  if (!header) return header.error();
  return internal::decode_body(*header, internal::BodySource{bytes.subspan(kNativeHeaderBytes)},
                               options.sip_key);
}

}  // namespace bloomery
