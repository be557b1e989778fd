#include "bloomery/formats/native/layer_table.h"

#include <algorithm>

#include "bloomery/base/byte_reader.h"
#include "bloomery/formats/native/body.h"

namespace bloomery::internal {
namespace {

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

}  // namespace

Result<std::size_t> layer_table_bytes(const NativeHeader& header) {
  const std::uint64_t bytes = padded(header.layers * kLayerRowBytes);
  if (bytes > header.body_bytes)
    return Error{ErrorCode::kTruncated, message(header.layers, " layers need a table of ", bytes,
                                                " bytes, and the body has ", header.body_bytes)};
  return static_cast<std::size_t>(bytes);
}

Result<std::vector<LayerRow>> read_layer_table(ByteView table_bytes, const NativeHeader& header) {
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
  if (!zero_past(table.rest(), 0)) return dirty_end();
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

}  // namespace bloomery::internal
