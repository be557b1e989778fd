#include "apps/redis/native/dump.h"

#include "bloomery/formats/redis/chunks.h"

namespace bloomery::redis_module {
namespace {

OwnPiece piece_of(const OwnLayer& layer, std::uint64_t offset, std::int64_t position) {
  OwnPiece piece;
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

OwnPiece piece_at(const OwnFilter& filter, std::int64_t position) {
  if (position < 1) return {};
  auto offset = static_cast<std::uint64_t>(position) - 1;
  for (const OwnSlice& slice : filter.slices())
    for (const OwnLayer& layer : slice.layers) {
      const std::uint64_t size = kNativeHeaderBytes + layer.bytes().size();
      if (offset < size) return piece_of(layer, offset, position);
      offset -= size;
    }
  return {};
}

}  // namespace bloomery::redis_module
