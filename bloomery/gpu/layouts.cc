#include "bloomery/gpu/layouts.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bloomery::gpu::internal {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint32_t kRoomMultiple = 256;  // a CTA of a lookup writes whole rows of answers
constexpr std::uint32_t kMostChunkKib = 128;  // of shared memory; twice as much does not fit

// Pieces of a workspace, one after the other.
class Carver {
 public:
  std::uint64_t take(std::uint64_t bytes) {
    const std::uint64_t at = used_;
    used_ = (used_ + bytes + kAlignment - 1) / kAlignment * kAlignment;
    return at;
  }
  std::uint64_t used() const { return used_; }

 private:
  std::uint64_t used_ = 0;
};

// Keys fall on buckets as a Poisson variable: eight deviations above the mean are exceeded by
// skewed keys only.
std::uint32_t room_for(double mean, std::uint32_t percent) {
  const double wanted = (mean + 8 * std::sqrt(mean) + 64) * percent / 100;
  const auto keys = static_cast<std::uint64_t>(wanted) + kRoomMultiple - 1;
  return static_cast<std::uint32_t>(std::max(keys, std::uint64_t{kRoomMultiple}) / kRoomMultiple *
                                    kRoomMultiple);
}

std::uint32_t shifted_up(std::uint64_t value, std::uint32_t shift) {
  return static_cast<std::uint32_t>((value + (std::uint64_t{1} << shift) - 1) >> shift);
}

std::uint32_t log2_blocks(std::uint32_t kib, std::uint32_t block_bytes) {
  const std::uint64_t blocks = std::max(std::uint64_t{kib} * 1024 / block_bytes, std::uint64_t{1});
  return static_cast<std::uint32_t>(std::bit_width(blocks) - 1);
}

struct Cut {
  std::uint32_t chunk_kib;
  std::uint32_t chunks_of_group;
};
Cut insert_cut(std::uint64_t filter_bytes, const Tuning& tuning) {
  Cut cut = filter_bytes <= 256 * kMiB    ? Cut{128, 1}
            : filter_bytes <= 2048 * kMiB ? Cut{64, 128}
                                          : Cut{128, 256};
  if (tuning.chunk_kib != 0) cut.chunk_kib = std::min(tuning.chunk_kib, kMostChunkKib);
  if (tuning.chunks_of_group != 0)
    cut.chunks_of_group = std::min(tuning.chunks_of_group, kMostBuckets);
  return cut;
}

}  // namespace

std::uint32_t tile_keys(Tile tile) {
  switch (tile) {
    case Tile::k384x12:
      return 384 * 12;
    case Tile::k512x12:
      return 512 * 12;
    case Tile::k1024x12:
      return 1024 * 12;
    case Tile::k1024x16:
      break;
  }
  return 1024 * 16;
}

InsertLayout insert_layout(const Work& work, const Tuning& tuning) {
  const Cut cut = insert_cut(work.filter_bytes(), tuning);
  const std::uint32_t most_shift = log2_blocks(kMostChunkKib, work.block_bytes);
  InsertLayout layout{};
  layout.chunk_shift = log2_blocks(cut.chunk_kib, work.block_bytes);
  layout.group_shift = static_cast<std::uint32_t>(std::bit_width(cut.chunks_of_group) - 1);
  // Neither pass may have more than kMostBuckets.
  const std::uint64_t most =
      layout.group_shift == 0 ? kMostBuckets : std::uint64_t{kMostBuckets} * kMostBuckets;
  while (layout.chunk_shift < most_shift && shifted_up(work.blocks, layout.chunk_shift) > most)
    ++layout.chunk_shift;
  layout.chunks = shifted_up(work.blocks, layout.chunk_shift);
  while (shifted_up(layout.chunks, layout.group_shift) > kMostBuckets) ++layout.group_shift;
  layout.groups = layout.has_groups() ? shifted_up(layout.chunks, layout.group_shift) : 0;

  const double keys_of_block = static_cast<double>(work.keys) / static_cast<double>(work.blocks);
  const auto room = [&](std::uint32_t shift) {
    return room_for(std::min(std::ldexp(keys_of_block, static_cast<int>(shift)),
                             static_cast<double>(work.keys)),
                    tuning.room_percent);
  };
  const std::uint64_t chunk_buckets =
      layout.has_groups() ? std::uint64_t{layout.groups} << layout.group_shift : layout.chunks;
  layout.chunk_room = room(layout.chunk_shift);
  layout.small_chunks = (std::uint64_t{work.block_bytes} << layout.chunk_shift) <= 64 * 1024;
  layout.first_tile = layout.has_groups()    ? Tile::k512x12
                      : layout.chunks <= 512 ? Tile::k384x12
                                             : Tile::k1024x16;
  Carver workspace;
  if (layout.has_groups()) {
    layout.group_room = room(layout.chunk_shift + layout.group_shift);
    layout.group_cursor = workspace.take(std::uint64_t{layout.groups} * 4);
  }
  layout.chunk_cursor = workspace.take(chunk_buckets * 4);
  layout.cursor_bytes = workspace.used();
  if (layout.has_groups())
    layout.group_items =
        workspace.take(std::uint64_t{layout.group_room} * layout.groups * work.carried_bytes);
  layout.chunk_items = workspace.take(std::uint64_t{layout.chunk_room} * chunk_buckets * 8);
  layout.bytes = workspace.used();
  return layout;
}

LookupLayout lookup_layout(const Work& work, const Tuning& tuning) {
  const std::uint64_t bytes = work.filter_bytes();
  const std::uint32_t kib = tuning.lookup_chunk_kib != 0 ? tuning.lookup_chunk_kib
                            : bytes <= 256 * kMiB        ? 8 * 1024
                            : bytes <= 2048 * kMiB       ? 16 * 1024
                                                         : 32 * 1024;
  LookupLayout layout{};
  layout.large_filter = bytes > 2048 * kMiB;
  layout.chunk_shift = log2_blocks(kib, work.block_bytes);
  while (shifted_up(work.blocks, layout.chunk_shift) > kMostBuckets) ++layout.chunk_shift;
  layout.chunks = shifted_up(work.blocks, layout.chunk_shift);
  // A larger tile of what strings carry does not fit in shared memory.
  layout.tile = layout.large_filter && work.carried_bytes == 8 ? Tile::k1024x12 : Tile::k512x12;
  const std::uint32_t keys = tile_keys(layout.tile);
  layout.tiles = (work.keys + keys - 1) / keys;
  const double keys_of_block = static_cast<double>(work.keys) / static_cast<double>(work.blocks);
  layout.room = room_for(std::min(std::ldexp(keys_of_block, static_cast<int>(layout.chunk_shift)),
                                  static_cast<double>(work.keys)),
                         tuning.room_percent);
  const std::uint64_t in_buckets = std::uint64_t{layout.room} * layout.chunks;
  Carver workspace;
  layout.cursor = workspace.take(std::uint64_t{layout.chunks} * 4);
  layout.cursor_bytes = workspace.used();
  layout.runs = workspace.take(layout.tiles * 2 * layout.chunks * 4);
  layout.in_tile = workspace.take(layout.tiles * keys * 2);
  layout.answers = workspace.take(in_buckets);
  layout.overflown = workspace.take(layout.tiles * keys);
  layout.items = workspace.take(in_buckets * work.carried_bytes);
  layout.bytes = workspace.used();
  return layout;
}

}  // namespace bloomery::gpu::internal
