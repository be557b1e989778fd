// A part of a set that was opened and compared with its manifest. Not for users.
#pragma once
#include <functional>
#include <memory>

#include "bloomery/filter/block/health.h"
#include "bloomery/filter/block/part_view.h"
#include "bloomery/formats/set/manifest.h"
#include "bloomery/formats/set/part_source.h"

namespace bloomery::internal {

class OpenedPart {
 public:
  // Compares size and header of the file with the manifest. Where it lies in memory, looks at its
  // seeds, and if it is smaller than this, at all of its body.
  static Result<OpenedPart> open(const SetManifest& manifest, std::uint32_t index,
                                 std::unique_ptr<PartReader> reader, const KeyHash& hash,
                                 std::uint64_t trusted_from);

  // For lines of this part, each as one place and its bits, in the order of their blocks: whether
  // all bits of a line are set.
  Status lines_found(std::span<const Hash128> lines, std::span<std::uint8_t> found) const;
  // All of the body.
  Status each_piece(const std::function<Status(ByteView)>& use) const;
  // Of `most` of its blocks, evenly spread.
  Result<Health> health(std::optional<Goal> goal, std::uint64_t most) const;
  // Adds the samples from this one up to, but without, `end`, of a tally of the whole filter, all
  // of which are blocks of this part.
  Status add_samples(BlockTally& tally, std::uint64_t first, std::uint64_t end) const;
  const PartReader& reader() const { return *reader_; }

 private:
  // Those of `count` blocks: block_of_sample(i) ascends, and counts from the first of this part.
  template <class BlockOfSample>
  Status add_blocks(BlockTally& tally, std::uint64_t count, BlockOfSample block_of_sample) const;
  OpenedPart(std::unique_ptr<PartReader> reader, BlockShape shape, Part part, const KeyHash& hash);
  Status read_lines(std::span<const Hash128> lines, std::span<std::uint8_t> found) const;

  std::unique_ptr<PartReader> reader_;
  BlockShape shape_;  // of the whole filter
  PartRange range_;
  // Of lines: the filter as one of one line per key. Empty where the file is not in memory.
  BlockPartView<const std::byte> view_;
};

}  // namespace bloomery::internal
