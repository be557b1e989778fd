#include "bloomery/formats/set/opened_part.h"

#include <array>
#include <cstring>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/native/body.h"

namespace bloomery::internal {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

BlockShape one_line(BlockShape shape) {
  shape.probes = block::probes_in_line(shape.probes);
  return shape;
}

}  // namespace

OpenedPart::OpenedPart(std::unique_ptr<PartReader> reader, BlockShape shape, Part part,
                       const KeyHash& hash)
    : reader_{std::move(reader)}, shape_{shape}, range_{blocks_of(part, shape.blocks)} {
  const ByteView file = reader_->bytes();
  if (!file.empty()) view_ = {one_line(shape), part, file.subspan(kNativeHeaderBytes), hash};
}

Result<OpenedPart> OpenedPart::open(const SetManifest& manifest, std::uint32_t index,
                                    std::unique_ptr<PartReader> reader, const KeyHash& hash,
                                    std::uint64_t trusted_from) {
  const std::uint64_t size = reader->size_bytes();
  if (size != manifest.parts[index].bytes)
    return malformed(message("the file has ", size, " bytes, and the manifest says ",
                             manifest.parts[index].bytes,
                             ": it was cut short, or is from another build; build it again"));
  NativeHeaderBytes bytes;
  if (const ByteView all = reader->bytes(); !all.empty()) {
    std::memcpy(bytes.data(), all.data(), bytes.size());
  } else {
    const PartBytes start{0, bytes};
    if (auto read = reader->read({&start, 1}); !read) return read.error();
  }
  const auto header = decode_native_part_header(bytes, size, {.max_bytes = size});
  if (!header) return header.error();
  if (auto same = check_part(manifest, index, *header); !same) return same.error();
  OpenedPart part{std::move(reader), manifest.shape(), header->part(), hash};
  const ByteView all = part.reader_->bytes();
  if (all.empty()) return part;
  if (size < trusted_from) {
    const ByteView body = all.subspan(kNativeHeaderBytes);
    if (body_checksum({&body, 1}) != header->body_checksum) return damaged_body();
  }
  if (auto valid = check_seeds(part.view_.seeds()); !valid) return valid.error();
  return part;
}

Status OpenedPart::lines_found(std::span<const Hash128> lines,
                               std::span<std::uint8_t> found) const {
  if (reader_->bytes().empty()) return read_lines(lines, found);
  view_.may_contain_batch(lines, found);
  return ok();
}

// A few blocks at a time, so that memory does not depend on the number of keys.
Status OpenedPart::read_lines(std::span<const Hash128> lines, std::span<std::uint8_t> found) const {
  constexpr std::size_t kAtOnce = 4096;
  const std::uint32_t probes = block::probes_in_line(shape_.probes);
  const std::size_t most = std::min(kAtOnce, lines.size());
  std::vector<block::BlockMask> blocks(most);
  std::vector<std::byte> seeds(shape_.seeded ? most : 0);
  std::vector<PartBytes> ranges;
  for (std::size_t at = 0; at < lines.size(); at += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, lines.size() - at);
    ranges.clear();
    const auto place = [&](std::size_t i) {
      return block::block_of(lines[at + i].low, shape_.blocks) - range_.first;
    };
    for (std::size_t i = 0; i < count; ++i)
      ranges.push_back({kNativeHeaderBytes + place(i) * block::kBlockBytes,
                        std::as_writable_bytes(std::span{blocks[i]})});
    for (std::size_t i = 0; shape_.seeded && i < count; ++i)
      ranges.push_back({kNativeHeaderBytes + range_.size() * block::kBlockBytes + place(i),
                        std::span{seeds}.subspan(i, 1)});
    if (auto read = reader_->read(ranges); !read) return read;
    for (std::size_t i = 0; i < count; ++i) {
      const auto seed = shape_.seeded ? static_cast<std::uint32_t>(seeds[i]) : 0;
      if (seed >= block::kWindowSets) return malformed("a block has a seed that does not exist");
      const auto mask = block::mask_of(lines[at + i].low, lines[at + i].high, probes, seed);
      bool all = true;
      for (std::uint32_t j = 0; j < block::kSectors; ++j) all &= (mask[j] & ~blocks[i][j]) == 0;
      found[at + i] = all ? 1 : 0;
    }
  }
  return ok();
}

Status OpenedPart::each_piece(const std::function<Status(ByteView)>& use) const {
  const std::uint64_t size = reader_->size_bytes();
  const ByteView all = reader_->bytes();
  std::vector<std::byte> buffer(
      all.empty() ? static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, size)) : 0);
  for (std::uint64_t at = kNativeHeaderBytes; at < size;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, size - at));
    ByteView piece;
    if (all.empty()) {
      const PartBytes range{at, std::span{buffer}.first(count)};
      if (auto read = reader_->read({&range, 1}); !read) return read;
      piece = range.into;
    } else {
      piece = all.subspan(static_cast<std::size_t>(at), count);
    }
    if (auto used = use(piece); !used) return used;
    at += count;
  }
  return ok();
}

template <class BlockOfSample>
Status OpenedPart::add_blocks(BlockTally& tally, std::uint64_t count,
                              BlockOfSample block_of_sample) const {
  constexpr std::uint64_t kAtOnce = 4096;
  std::vector<block::BlockMask> blocks(static_cast<std::size_t>(std::min(kAtOnce, count)));
  std::vector<PartBytes> ranges;
  for (std::uint64_t at = 0; at < count; at += blocks.size()) {
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(blocks.size(), count - at));
    if (const ByteView file = reader_->bytes(); !file.empty()) {
      for (std::size_t i = 0; i < some; ++i) {
        const auto place = static_cast<std::size_t>(block_of_sample(at + i)) * block::kBlockBytes;
        std::memcpy(blocks[i].data(), view_.blocks().data() + place, block::kBlockBytes);
      }
    } else {
      ranges.clear();
      for (std::size_t i = 0; i < some; ++i)
        ranges.push_back({kNativeHeaderBytes + block_of_sample(at + i) * block::kBlockBytes,
                          std::as_writable_bytes(std::span{blocks[i]})});
      if (auto read = reader_->read(ranges); !read) return read;
    }
    for (std::size_t i = 0; i < some; ++i) tally.add(blocks[i]);
  }
  return ok();
}

Status OpenedPart::add_samples(BlockTally& tally, std::uint64_t first, std::uint64_t end) const {
  return add_blocks(tally, end - first,
                    [&](std::uint64_t i) { return tally.block(first + i) - range_.first; });
}

Result<Health> OpenedPart::health(std::optional<Goal> goal, std::uint64_t most) const {
  BlockTally tally{{range_.size(), shape_.probes, shape_.seeded}, most};
  const auto added =
      add_blocks(tally, tally.blocks(), [&](std::uint64_t i) { return tally.block(i); });
  if (!added) return added.error();
  return tally.health(goal);
}

}  // namespace bloomery::internal
