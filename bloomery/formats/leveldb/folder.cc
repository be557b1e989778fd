#include "bloomery/formats/leveldb/folder.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "bloomery/base/file.h"
#include "bloomery/base/message.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

// A database that is open replaces files at any time; each try reads what is there then.
constexpr int kTries = 8;

// The number of "000005.ldb", where the name is digits and this ending.
std::optional<std::uint64_t> number_of(std::string_view name, std::string_view ending) {
  if (!name.ends_with(ending)) return std::nullopt;
  const std::string_view digits = name.substr(0, name.size() - ending.size());
  std::uint64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

Error in_file(const fs::path& path, const Error& error) {
  return {error.code, message(path.string(), ": ", error.message)};
}

Error malformed_current(const fs::path& path) {
  return {ErrorCode::kMalformed,
          message((path / "CURRENT").string(),
                  ": the name of a manifest and the end of a line were expected")};
}

bool is_gone(const fs::path& path) {
  std::error_code unknown;
  return !fs::exists(path, unknown) && !unknown;
}

Result<std::string> read_current(const fs::path& path) {
  constexpr std::uint64_t kLongestName = 256;
  const auto bytes = read_file(path / "CURRENT", {.max_bytes = kLongestName});
  if (!bytes && bytes.error().code == ErrorCode::kTooLarge) return malformed_current(path);
  if (!bytes && is_gone(path / "CURRENT"))
    return Error{ErrorCode::kIo, message(path.string(),
                                         ": there is no file CURRENT in the folder, "
                                         "so it is no LevelDB database")};
  if (!bytes) return bytes.error();
  std::string_view name = text_of(*bytes);
  constexpr std::string_view kStart = "MANIFEST-";
  if (!name.ends_with('\n') || !name.starts_with(kStart)) return malformed_current(path);
  name.remove_suffix(1);
  // Digits only: the name must not lead out of the folder.
  if (!number_of(name.substr(kStart.size()), "")) return malformed_current(path);
  return std::string{name};
}

Status read_manifest(LevelDbFolder& folder, DecodeLimits limits) {
  for (int tries = 1;; ++tries) {
    auto name = read_current(folder.path);
    if (!name) return name.error();
    const fs::path path = folder.path / *name;
    const auto bytes = read_file(path, limits);
    if (!bytes) {
      if (tries < kTries && is_gone(path)) continue;
      return bytes.error();
    }
    auto manifest = decode_leveldb_manifest(*bytes, limits);
    if (!manifest) return in_file(path, manifest.error());
    folder.manifest = std::move(*manifest);
    folder.manifest_name = std::move(*name);
    folder.manifest_bytes = bytes->size();
    return ok();
  }
}

// Calls visit(name, entry) for each file of the folder.
template <class Visit>
Status for_each_file(const fs::path& path, Visit visit) {
  std::error_code failed;
  for (fs::directory_iterator entry{path, failed}, end; !failed && entry != end;
       entry.increment(failed))
    visit(entry->path().filename().string(), *entry);
  if (failed)
    return Error{ErrorCode::kIo, message(path.string(), ": cannot list: ", failed.message())};
  return ok();
}

Status list_tables(LevelDbFolder& folder) {
  folder.table_files.clear();
  auto listed = for_each_file(folder.path, [&](const std::string& name, const auto& entry) {
    auto number = number_of(name, ".ldb");
    if (!number) number = number_of(name, ".sst");
    if (!number) return;
    std::error_code gone;
    const std::uint64_t bytes = entry.file_size(gone);
    if (!gone) folder.table_files.push_back({*number, name, bytes});
  });
  // Where a table is there under both endings, LevelDB takes .ldb, which sorts first.
  std::ranges::sort(folder.table_files, [](const auto& a, const auto& b) {
    return a.number != b.number ? a.number < b.number : a.name < b.name;
  });
  return listed;
}

// LevelDB opens a database without a word when the log that its manifest begins with is gone. A
// database in use removes a log only after a newer manifest does without it.
Status find_missing_log(LevelDbFolder& folder, DecodeLimits limits) {
  for (int tries = 1;; ++tries) {
    const std::uint64_t first = folder.manifest.log_number;
    bool is_there = first == 0 ||
                    std::ranges::find(folder.logs, first, &LevelDbLog::number) != folder.logs.end();
    auto listed = for_each_file(folder.path, [&](const std::string& name, const auto&) {
      is_there = is_there || number_of(name, ".log") == first;
    });
    if (!listed || is_there) return listed;
    if (auto read = reread_leveldb_tables(folder, limits); !read) return read;
    if (folder.manifest.log_number == first || tries == kTries) {
      LevelDbLog missing;
      missing.number = first;
      missing.is_missing = true;
      folder.logs.insert(folder.logs.begin(), std::move(missing));
      return ok();
    }
  }
}

Status read_logs(LevelDbFolder& folder, DecodeLimits limits) {
  std::vector<std::pair<std::uint64_t, std::string>> names;
  auto listed = for_each_file(folder.path, [&](const std::string& name, const auto&) {
    const auto number = number_of(name, ".log");
    if (number && folder.manifest.needs_log(*number)) names.emplace_back(*number, name);
  });
  if (!listed) return listed;
  std::ranges::sort(names);
  for (const auto& [number, name] : names) {
    const fs::path path = folder.path / name;
    const auto bytes = read_file(path, limits);
    if (!bytes && is_gone(path)) continue;  // its keys are in a table by now
    if (!bytes) return bytes.error();
    auto log = decode_leveldb_log(*bytes, limits);
    if (!log) return in_file(path, log.error());
    log->number = number;
    folder.logs.push_back(std::move(*log));
  }
  return ok();
}

}  // namespace

const LevelDbTableFile* LevelDbFolder::find_file(std::uint64_t number) const {
  const auto found = std::ranges::lower_bound(table_files, number, {}, &LevelDbTableFile::number);
  return found != table_files.end() && found->number == number ? &*found : nullptr;
}

Status reread_leveldb_tables(LevelDbFolder& folder, DecodeLimits limits) {
  if (auto read = read_manifest(folder, limits); !read) return read;
  std::erase_if(folder.logs,
                [&](const LevelDbLog& log) { return !folder.manifest.needs_log(log.number); });
  return list_tables(folder);
}

Result<LevelDbFolder> read_leveldb_folder(const fs::path& path, DecodeLimits limits) {
  LevelDbFolder folder;
  folder.path = path;
  // Once for the numbers of the logs that matter; once more after they were read.
  if (auto read = read_manifest(folder, limits); !read) return read.error();
  if (auto read = read_logs(folder, limits); !read) return read.error();
  if (auto read = reread_leveldb_tables(folder, limits); !read) return read.error();
  if (auto found = find_missing_log(folder, limits); !found) return found.error();
  return folder;
}

Error leveldb_table_missing(const LevelDbLiveTable& table) {
  return {ErrorCode::kMalformed,
          message("the manifest lists table ", table.number, " on level ", table.level,
                  ", and the folder does not have it; LevelDB would not open the database")};
}

}  // namespace bloomery
