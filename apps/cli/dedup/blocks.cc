#include "apps/cli/dedup/blocks.h"

#include <algorithm>

#include "bloomery/hash/xxh.h"

namespace bloomery::cli {

bool BlockSums::agree(std::uint64_t place, ByteView blocks) {
  for (auto n = static_cast<std::size_t>(place / kBlockBytes); !blocks.empty(); ++n) {
    const ByteView block = blocks.first(std::min(blocks.size(), kBlockBytes));
    blocks = blocks.subspan(block.size());
    const std::uint64_t sum = std::max<std::uint64_t>(xxh3_64(block), 1);
    if (sums_[n] == 0)
      sums_[n] = sum;
    else if (sums_[n] != sum)
      return false;
  }
  return true;
}

}  // namespace bloomery::cli
