#include "bloomery/formats/index/key_rows.h"

#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/layout/lines.h"

namespace bloomery {

void KeyRows::find(ByteView key, std::uint64_t* rows) const {
  const Hash128 digest = hash_.digest(key);
  if (kind_ != NativeKind::kClassic) return find_in_blocks(digest, rows);
  const BloomeryClassic dialect{hash_};
  for (std::uint32_t i = 0; i < probes_; ++i) rows[i] = dialect.probe(digest, i, modulus_);
}

void KeyRows::find_in_blocks(const Hash128& digest, std::uint64_t* rows) const {
  block::LineWords words{digest.low, digest.high};
  for (std::uint32_t line = 0; line < block::lines_of(probes_); ++line) {
    const std::uint64_t first = block::block_of(words.place, blocks_) * block::kBlockBits;
    const block::BlockMask mask =
        block::mask_of(words.place, words.bits, block::probes_in_line(probes_));
    for (std::uint32_t sector = 0; sector < block::kSectors; ++sector)
      if (mask[sector] != 0)
        *rows++ = first + sector * block::kSectorBits +
                  static_cast<unsigned>(std::countr_zero(mask[sector]));
    words = block::next_line(words);
  }
}

}  // namespace bloomery
