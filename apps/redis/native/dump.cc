#include "apps/redis/native/dump.h"

#include "bloomery/formats/redis/chunks.h"

namespace bloomery::redis_module {
namespace {

NativePiece piece_of(const FilterLayer& layer, std::uint64_t offset, std::int64_t position) {
  NativePiece piece;
  if (offset < kNativeHeaderBytes) {
    piece.made = encode_native_header(layer.header());
    piece.skipped = static_cast<std::size_t>(offset);
  } else {
    const ByteView rest =
        layer.bytes().subspan(static_cast<std::size_t>(offset) - kNativeHeaderBytes);
    piece.body = rest.first(
        static_cast<std::size_t>(std::min<std::uint64_t>(kRedisChunkBytes, rest.size())));
  }
  piece.next = position + static_cast<std::int64_t>(piece.bytes().size());
  return piece;
}

}  // namespace

NativePiece piece_at(const LayeredFilter& filter, std::int64_t position) {
  if (position < 1) return {};
  auto offset = static_cast<std::uint64_t>(position) - 1;
  for (const TimeSlice& slice : filter.slices())
    for (const FilterLayer& layer : slice.layers) {
      const std::uint64_t size = kNativeHeaderBytes + layer.bytes().size();
      if (offset < size) return piece_of(layer, offset, position);
      offset -= size;
    }
  return {};
}

}  // namespace bloomery::redis_module
