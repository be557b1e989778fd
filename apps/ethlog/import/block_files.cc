#include "apps/ethlog/import/block_files.h"

#include <memory>
#include <optional>
#include <utility>

#include "apps/ethlog/import/read_era1.h"
#include "apps/ethlog/import/read_jsonl.h"
#include "apps/ethlog/store/read_at.h"
#include "apps/input/spool.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

Error in_file(const std::string& name, const Error& inner) {
  return {inner.code, message(name, ": ", inner.message)};
}

// A version entry: type "e2", length and reserved bytes zero. A pipe that begins otherwise is not
// waited for.
Result<bool> begins_as_era(input::Input& input) {
  constexpr std::string_view kVersionEntry{"e2\0\0\0\0\0\0", 8};
  for (const std::size_t bytes : {std::size_t{1}, kVersionEntry.size()}) {
    const auto first = input.peek(bytes);
    if (!first) return first.error();
    const std::string_view text = text_of(*first);
    if (text.substr(0, bytes) != kVersionEntry.substr(0, bytes)) return false;
  }
  return true;
}

struct OpenEra {
  std::optional<MappedFile> copy;  // nameless: no other process can change it
  ReadAt bytes;
};

// Read where it lies on disk as it is, else from a temporary copy.
Result<OpenEra> open_era(const std::filesystem::path& path, input::Input& input) {
  const bool as_it_is = input.compression() == input::Compression::kNone;
  if (as_it_is && input.file_bytes() && path != "-") {
    auto file = ReadAt::open(path);
    if (!file) return file.error();
    return OpenEra{std::nullopt, std::move(*file)};
  }
  auto copy = input::spool(input);
  if (!copy) return copy.error();
  const ByteView bytes = copy->bytes();
  return OpenEra{std::move(*copy), ReadAt{bytes}};
}

Result<BlockSource> era_blocks(const std::filesystem::path& path, input::Input& input) {
  Result<OpenEra> era = open_era(path, input);
  if (!era) return era.error();
  Result<EraReader> reader = EraReader::open(era->bytes);
  if (!reader) return in_file(input.name(), reader.error());
  auto shared =
      std::make_shared<std::pair<OpenEra, EraReader>>(std::move(*era), std::move(*reader));
  return BlockSource{[shared, name = input.name()]() -> Result<std::optional<ImportedBlock>> {
    auto block = shared->second.next();
    if (!block) return in_file(name, block.error());
    return block;
  }};
}

}  // namespace

Result<BlockSource> blocks_in_file(const std::filesystem::path& path, BlockFileKind wanted) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error{ErrorCode::kInvalidArgument,
                 message(path.string(), ": it is a folder; give a file of blocks")};
  auto opened = input::Input::open(path.string(), {.consumer = "bloomery eth import --db DIR -"});
  if (!opened) return opened.error();
  const std::string name = opened->name();
  const auto era = begins_as_era(*opened);
  // Damage in the first bytes is reported by the reader, which knows the line.
  if (!era && era.error().code == ErrorCode::kInvalidArgument) return era.error();
  const bool is_era = era && *era;
  if (wanted != BlockFileKind::kAuto && is_era != (wanted == BlockFileKind::kEra))
    return Error{ErrorCode::kInvalidArgument,
                 message(name, ": the file does not begin like one of the format ",
                         is_era ? "jsonl" : "era1",
                         "; omit --format, and the format is recognised by the first bytes")};
  if (is_era) return era_blocks(path, *opened);
  auto reader = std::make_shared<JsonlReader>(lines_of(bytes_of_input(std::move(*opened))));
  return BlockSource{[reader, name]() -> Result<std::optional<ImportedBlock>> {
    auto block = reader->next();
    if (!block) return in_file(name, block.error());
    return block;
  }};
}

BlockSource blocks_in_freezer(const Freezer& freezer, std::uint64_t first) {
  return [&freezer, number = first]() mutable { return freezer.block(number++); };
}

}  // namespace bloomery::ethlog
