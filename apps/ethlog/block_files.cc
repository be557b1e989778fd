#include "apps/ethlog/block_files.h"

#include <fstream>
#include <memory>

#include "apps/ethlog/read_era1.h"
#include "apps/ethlog/read_jsonl.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

Error in_file(const std::filesystem::path& path, const Error& inner) {
  return {inner.code, message(path.string(), ": ", inner.message)};
}

// A version entry: type "e2", length and reserved bytes zero.
bool begins_as_era(const std::filesystem::path& path) {
  constexpr std::string_view kVersionEntry{"e2\0\0\0\0\0\0", 8};
  std::array<char, kVersionEntry.size()> first{};
  std::ifstream file{path, std::ios::binary};
  file.read(first.data(), first.size());
  return file && std::string_view{first.data(), first.size()} == kVersionEntry;
}

Result<BlockSource> era_blocks(const std::filesystem::path& path) {
  Result<ReadAt> file = ReadAt::open(path);
  if (!file) return file.error();
  Result<EraReader> reader = EraReader::open(std::move(*file));
  if (!reader) return in_file(path, reader.error());
  auto era = std::make_shared<EraReader>(std::move(*reader));
  return BlockSource{[era, path]() -> Result<std::optional<ImportedBlock>> {
    auto block = era->next();
    if (!block) return in_file(path, block.error());
    return block;
  }};
}

}  // namespace

Result<BlockSource> blocks_in_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error{ErrorCode::kInvalidArgument,
                 message(path.string(), ": a file of blocks was expected, not a folder.")};
  if (std::filesystem::is_regular_file(path, ignored) && begins_as_era(path))
    return era_blocks(path);
  Result<ByteSource> bytes = bytes_of_file(path);
  if (!bytes) return bytes.error();
  auto reader = std::make_shared<JsonlReader>(lines_of(std::move(*bytes)));
  return BlockSource{[reader, path]() -> Result<std::optional<ImportedBlock>> {
    auto block = reader->next();
    if (!block) return in_file(path, block.error());
    return block;
  }};
}

BlockSource blocks_in_freezer(const Freezer& freezer, std::uint64_t first) {
  return [&freezer, number = first]() mutable { return freezer.block(number++); };
}

}  // namespace bloomery::ethlog
