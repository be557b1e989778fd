#include "apps/cli/filters/leveldb_kind.h"

#include <filesystem>
#include <fstream>

#include "bloomery/formats/leveldb/table.h"

namespace bloomery::cli {
namespace {

bool ends_as_table(const std::string& path) {
  constexpr std::streamoff kFooterBytes = 48;
  std::ifstream file{path, std::ios::binary};
  if (!file.seekg(-kFooterBytes, std::ios::end)) return false;
  std::byte footer[kFooterBytes];
  file.read(reinterpret_cast<char*>(footer), kFooterBytes);
  return file.gcount() == kFooterBytes && looks_like_leveldb_table(footer);
}

}  // namespace

LevelDbKind leveldb_kind_of(const std::string& path, const FormatOptions& options) {
  if (options.format != "auto" && options.format != "leveldb") return LevelDbKind::kNone;
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  if (unknown) return LevelDbKind::kNone;
  if (std::filesystem::is_directory(status)) return LevelDbKind::kDatabase;
  const bool is_table = std::filesystem::is_regular_file(status) && ends_as_table(path);
  return is_table ? LevelDbKind::kTable : LevelDbKind::kNone;
}

}  // namespace bloomery::cli
