#include <fstream>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/file.h"
#include "bloomery/formats/native/body.h"

namespace bloomery {
namespace {

using internal::padded;

// Where a body comes from: bytes in memory, or a file that is read straight into the filter.
class BodySource {
 public:
  explicit BodySource(ByteView bytes) : bytes_{bytes} {}
  explicit BodySource(std::istream& file) : file_{&file} {}

  Status read(ByteSpan into) {
    if (file_ != nullptr) {
      file_->read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size()));
      return *file_ ? ok() : Error{ErrorCode::kIo, "the file ended or failed while it was read"};
    }
    const ByteView taken = bytes_.take(into.size());
    if (bytes_.failed()) return bytes_.truncated("a Bloomery file");
    std::ranges::copy(taken, into.begin());
    return ok();
  }

 private:
  ByteReader bytes_{{}};
  std::istream* file_ = nullptr;
};

// Reads the body into an empty filter, and vouches for it by the checksum unless nobody could write
// one. The body's length was checked with the header.
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

struct LayerRow {
  Shape shape;
  std::uint64_t keys_inserted;
  Goal goal;
};

Error bad_layer(std::size_t index, std::string_view why) {
  return {ErrorCode::kMalformed, message("layer ", index + 1, " of the scalable filter: ", why)};
}

Result<LayerRow> read_row(ByteReader& table, std::size_t index, const NativeHeader& header) {
  const std::uint64_t bits = table.le<std::uint64_t>();
  const std::uint32_t probes = table.le<std::uint32_t>();
  const std::uint32_t zero = table.le<std::uint32_t>();
  const std::uint64_t keys_inserted = table.le<std::uint64_t>();
  const double rate = table.le<double>();
  if (auto shape = checked(Shape{bits, probes}); !shape)
    return bad_layer(index, shape.error().message);
  if (zero != 0) return bad_layer(index, "its reserved bytes must be zero");
  const auto planned = ScalableFilter<BloomeryClassic>::layer_goal(
      {header.goal_keys, header.goal_rate}, header.growth_rule(), index);
  if (!planned) return bad_layer(index, planned.error().message);
  const auto goal = checked(Goal{planned->keys, rate});
  if (!goal) return bad_layer(index, goal.error().message);
  return LayerRow{{bits, probes}, keys_inserted, *goal};
}

// The rows, once they agree with the header and with the length of the body.
Result<std::vector<LayerRow>> read_rows(ByteView table_bytes, const NativeHeader& header) {
  ByteReader table{table_bytes};
  std::vector<LayerRow> rows;
  std::uint64_t body_bytes = table_bytes.size();
  std::uint64_t keys = 0;
  for (std::size_t i = 0; i < header.layers; ++i) {
    const auto row = read_row(table, i, header);
    if (!row) return row.error();
    rows.push_back(*row);
    body_bytes += padded(row->shape.bytes());  // 1024 layers of 2^45 bytes: no overflow
    keys += std::min(row->keys_inserted, UINT64_MAX - keys);
  }
  if (!internal::zero_past(table.rest(), 0)) return internal::dirty_end();
  if (rows.front().shape != header.shape())
    return bad_layer(0, "its shape is not the one in the header");
  if (keys != header.keys_inserted)
    return Error{ErrorCode::kMalformed, message("the layers count ", keys, " keys, and the header ",
                                                header.keys_inserted)};
  if (body_bytes != header.body_bytes)
    return Error{ErrorCode::kMalformed, message("the layers need a body of ", body_bytes,
                                                " bytes, and the header says ", header.body_bytes)};
  return rows;
}

Result<NativeFilter> decode_scalable(const NativeHeader& header, const KeyHash& hash,
                                     BodySource& source) {
  const std::uint64_t table_bytes = padded(header.layers * internal::kLayerRowBytes);
  if (table_bytes > header.body_bytes)
    return Error{ErrorCode::kTruncated,
                 message(header.layers, " layers need a table of ", table_bytes,
                         " bytes, and the body has ", header.body_bytes)};
  std::vector<std::byte> table(static_cast<std::size_t>(table_bytes));
  if (auto read = source.read(table); !read) return read.error();
  const auto rows = read_rows(table, header);
  if (!rows) return rows.error();

  std::vector<Layer<BloomeryClassic>> layers;
  std::vector<ByteView> parts{table};
  std::array<std::byte, internal::kBodyAlignment> zeros{};
  for (const LayerRow& row : *rows) {
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

Result<NativeFilter> decode_body(const NativeHeader& header, BodySource source,
                                 const std::optional<SipKey>& sip_key) {
  const auto hash = native_hash(header, sip_key);
  if (!hash) return hash.error();
  if (header.kind == NativeKind::kScalable) return decode_scalable(header, *hash, source);
  if (header.kind == NativeKind::kBlock) return decode_block(header, *hash, source);
  if (header.kind == NativeKind::kClassic)
    return decode_array<ClassicFilter<BloomeryClassic>>(header, *hash, header.bits, source);
  const std::uint64_t used_bits = header.bits * header.counter_bits;
  if (header.counter_bits == 2)
    return decode_array<CountingFilter<BloomeryClassic, 2>>(header, *hash, used_bits, source);
  if (header.counter_bits == 4)
    return decode_array<CountingFilter<BloomeryClassic, 4>>(header, *hash, used_bits, source);
  return decode_array<CountingFilter<BloomeryClassic, 8>>(header, *hash, used_bits, source);
}

}  // namespace

bool looks_like_native(ByteView bytes) {
  return bytes.size() >= kNativeMagic.size() &&
         std::ranges::equal(bytes.first(kNativeMagic.size()),
                            std::as_bytes(std::span{kNativeMagic}));
}

Result<NativeFilter> decode_native(ByteView bytes, const DecodeOptions& options) {
  const auto header = decode_native_header(bytes, bytes.size(), options.limits);
  if (!header) return header.error();
  return decode_body(*header, BodySource{bytes.subspan(kNativeHeaderBytes)}, options.sip_key);
}

Result<NativeFilter> load_native(const std::filesystem::path& path, const DecodeOptions& options) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) {  // a pipe, or an error worth its sentence
    DecodeLimits limits = options.limits;
    limits.max_bytes += kNativeHeaderBytes;
    const auto bytes = read_file(path, limits);
    if (!bytes) return bytes.error();
    return decode_native(*bytes, options);
  }
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  std::ifstream file{path, std::ios::binary};
  if (failed || !file)
    return Error{ErrorCode::kIo, message(path.string(), ": cannot open the file for reading")};
  NativeHeaderBytes first;
  file.read(reinterpret_cast<char*>(first.data()), first.size());
  const auto got = static_cast<std::size_t>(file.gcount());
  const auto header = decode_native_header(ByteView{first}.first(got), size, options.limits);
  if (!header) return header.error();
  return decode_body(*header, BodySource{file}, options.sip_key);
}

}  // namespace bloomery
