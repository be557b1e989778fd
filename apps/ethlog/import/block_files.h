// A file of blocks of any kind: era1, ere, or JSON lines, plain or compressed, from a file
// or a pipe.
#pragma once
#include <filesystem>

#include "apps/ethlog/model/chain.h"
#include "apps/ethlog/store/freezer.h"

namespace bloomery::ethlog {

enum class BlockFileKind : std::uint8_t { kAuto, kJsonLines, kEra };

// The kind is seen from the first bytes, and kInvalidArgument where it is another than is wanted.
// "-" is stdin; a pipe is read once, from its start to its end. Errors name the file.
Result<BlockSource> blocks_in_file(const std::filesystem::path& path,
                                   BlockFileKind wanted = BlockFileKind::kAuto);
// Blocks from `first` on, to the freezer's end. It must outlive the source.
BlockSource blocks_in_freezer(const Freezer& freezer, std::uint64_t first);

}  // namespace bloomery::ethlog
