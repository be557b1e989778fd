// Positions of SCANDUMP and LOADCHUNK, the same for both kinds of filters: the tables of all layers
// lie end to end, and a position is one more than an offset into them. Position 0 is the header's.
#pragma once
#include <algorithm>

#include "bloomery/base/bytes.h"

namespace bloomery {

inline constexpr std::uint64_t kRedisChunkBytes = std::uint64_t{16} << 20;  // at most

struct RedisChunk {
  std::int64_t next = 0;  // position to ask for next; it is also where these bytes are loaded
  ByteView bytes;         // none, and next is 0, at the end
};

enum class ChunkLoad : std::uint8_t {
  kLoaded,
  kBadData,  // the position is not one after so many bytes
  kNoLayer,  // the bytes would start before the first layer or behind the last
  kTooBig,   // they would cross the end of a layer
};

// table(i) is the table of layer i. Position: 1 or more; anything else is the end.
template <class Table>
RedisChunk chunk_of_tables(std::size_t layers, Table table, std::int64_t position) {
  if (position < 1) return {};
  auto offset = static_cast<std::uint64_t>(position) - 1;
  for (std::size_t i = 0; i < layers; ++i) {
    const ByteView bytes = table(i);
    if (offset < bytes.size()) {
      const std::uint64_t size = std::min(kRedisChunkBytes, bytes.size() - offset);
      return {position + static_cast<std::int64_t>(size),
              bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size))};
    }
    offset -= bytes.size();
  }
  return {};
}

// Where the bytes loaded at a position go.
struct ChunkPlace {
  ChunkLoad outcome = ChunkLoad::kNoLayer;
  std::size_t layer = 0;   // these two: where the outcome is kLoaded
  std::size_t offset = 0;  // within the layer
};

// size_of(i) is the size of layer i's table.
template <class SizeOf>
ChunkPlace place_of_chunk(std::size_t layers, SizeOf size_of, std::int64_t position,
                          std::size_t size) {
  if (position < 1) return {ChunkLoad::kBadData};
  const auto end = static_cast<std::uint64_t>(position) - 1;
  // A header sent twice comes with position 1: the peer finds no layer for it, as for all that
  // would start just before the first one.
  if (end < size) return {end == 0 || end + 1 == size ? ChunkLoad::kNoLayer : ChunkLoad::kBadData};
  std::uint64_t offset = end - size;
  for (std::size_t i = 0; i < layers; ++i) {
    const std::uint64_t bytes = size_of(i);
    if (offset < bytes)
      return {size > bytes - offset ? ChunkLoad::kTooBig : ChunkLoad::kLoaded, i,
              static_cast<std::size_t>(offset)};
    offset -= bytes;
  }
  return {};
}

}  // namespace bloomery
