// A file of blocks, whatever its kind: era1, ere, or JSON lines, plain or compressed with xz.
#pragma once
#include <filesystem>

#include "apps/ethlog/chain.h"
#include "apps/ethlog/freezer.h"

namespace bloomery::ethlog {

// The kind is seen from the first bytes. Errors name the file.
Result<BlockSource> blocks_in_file(const std::filesystem::path& path);
// Blocks from `first` on, to the freezer's end. It must outlive the source.
BlockSource blocks_in_freezer(const Freezer& freezer, std::uint64_t first);

}  // namespace bloomery::ethlog
