// Where the passes of a partitioned batch keep what in their workspace. Not for users.
#pragma once
#include "bloomery/gpu/plan.h"

namespace bloomery::gpu::internal {

inline constexpr std::uint32_t kMostBuckets = 2048;  // of one pass: two words each in shared memory
inline constexpr std::uint64_t kAlignment = 256;     // of everything in a workspace

// The launch shapes of the first pass, chosen by sweeps on an H200: threads x keys for each thread.
enum class Tile : std::uint8_t { k384x12, k512x12, k1024x12, k1024x16 };
std::uint32_t tile_keys(Tile tile);

struct InsertLayout {
  std::uint32_t chunk_shift;  // log2 of the blocks of a chunk
  std::uint32_t group_shift;  // log2 of the chunks of a coarse bucket; 0 with one level
  std::uint32_t chunks;       // that the filter has; the last coarse bucket may have room for more
  std::uint32_t groups;       // coarse buckets; 0 with one level
  std::uint32_t group_room, chunk_room;  // keys
  Tile first_tile;
  bool small_chunks;  // several CTAs build on one multiprocessor
  // Byte offsets in the workspace. The cursors come first and are zeroed together.
  std::uint64_t group_cursor, chunk_cursor, cursor_bytes, group_items, chunk_items, bytes;

  bool has_groups() const { return group_shift != 0; }
};
InsertLayout insert_layout(const Work& work, const Tuning& tuning);

struct LookupLayout {
  std::uint32_t chunk_shift;
  std::uint32_t chunks;
  std::uint32_t room;
  Tile tile;
  std::uint64_t tiles;
  bool large_filter;
  std::uint64_t cursor, cursor_bytes, runs, in_tile, answers, overflown, items, bytes;
};
LookupLayout lookup_layout(const Work& work, const Tuning& tuning);

}  // namespace bloomery::gpu::internal
