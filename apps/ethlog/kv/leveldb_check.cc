#include "apps/ethlog/kv/leveldb_check.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "bloomery/base/endian.h"
#include "bloomery/base/file.h"
#include "bloomery/base/list_folder.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/leveldb/entries.h"
#include "bloomery/formats/leveldb/manifest.h"

namespace bloomery::ethlog {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLogBlock = 32768;
constexpr std::size_t kLogHeader = 7;
constexpr std::size_t kBatchHeader = 12;

Error damaged(const fs::path& file, std::string_view why) {
  return {ErrorCode::kMalformed, message(file.string(), ": ", why)};
}

std::optional<std::uint64_t> number_in(std::string_view name, std::string_view ending) {
  if (!name.ends_with(ending)) return std::nullopt;
  name.remove_suffix(ending.size());
  std::uint64_t number = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  if (name.empty() || read.ec != std::errc{} || read.ptr != name.data() + name.size())
    return std::nullopt;
  return number;
}

struct Files {
  std::map<std::uint64_t, fs::path> logs;
  std::map<std::uint64_t, fs::path> tables;
};

Result<Files> files_of(const fs::path& folder) {
  const auto names = list_folder(folder.string());
  if (!names) return names.error();
  Files files;
  for (const std::string& name : *names) {
    if (const auto log = number_in(name, ".log")) files.logs[*log] = folder / name;
    if (const auto old = number_in(name, ".sst")) files.tables.try_emplace(*old, folder / name);
    if (const auto table = number_in(name, ".ldb")) files.tables[*table] = folder / name;
  }
  return files;
}

// The bytes of the piece of a record that begins here, or 0 where there is none that is whole.
std::size_t piece_at(ByteView file, std::size_t at) {
  const std::size_t left = std::min(kLogBlock - at % kLogBlock, file.size() - at);
  if (left < kLogHeader) return 0;
  const auto type = static_cast<std::uint8_t>(file[at + 6]);
  const std::size_t length = load_le<std::uint16_t>(file.data() + at + 4);
  if (type < 1 || type > 4 || kLogHeader + length > left) return 0;
  const ByteView summed = file.subspan(at + 6, length + 1);
  const bool whole = load_le<std::uint32_t>(file.data() + at) == leveldb_checksum(summed);
  return whole ? kLogHeader + length : 0;
}

// A record is torn only if nothing whole follows its own first pieces. A wrong length hides what
// follows.
bool hides_records(ByteView file, std::size_t at) {
  while (at < file.size()) {
    const std::size_t left = kLogBlock - at % kLogBlock;
    const std::size_t piece = left < kLogHeader ? left : piece_at(file, at);
    if (piece == 0) break;
    at += piece;
  }
  for (++at; at < file.size(); ++at)
    if (piece_at(file, at) > 0) return true;
  return false;
}

Status check_tail(const fs::path& path, ByteView file, std::uint64_t torn_bytes) {
  if (torn_bytes == 0) return ok();
  const std::size_t at = file.size() - static_cast<std::size_t>(torn_bytes);
  // LevelDB reads nothing after the record that begins here.
  if (!hides_records(file, at)) return ok();
  return damaged(path, message("the length of a record is wrong, at byte ", at, " of ", file.size(),
                               "; the records after it cannot be read"));
}

Result<fs::path> manifest_path(const fs::path& folder) {
  const fs::path current = folder / "CURRENT";
  std::error_code failed;
  if (!fs::exists(current, failed))
    return damaged(current, "the file is missing, so the tables of the database are not known");
  constexpr std::uint64_t kLongestName = 4096;
  const auto named = read_file(current, {.max_bytes = kLongestName});
  if (!named && named.error().code != ErrorCode::kTooLarge) return named.error();
  std::string_view name = named ? text_of(*named) : std::string_view{};
  constexpr std::string_view kStart = "MANIFEST-";
  if (!name.starts_with(kStart) || !name.ends_with('\n') ||
      !number_in(name.substr(kStart.size(), name.size() - kStart.size() - 1), ""))
    return damaged(current, "it does not name a MANIFEST file");
  name.remove_suffix(1);
  fs::path path = folder / name;
  if (!fs::exists(path, failed)) return damaged(path, "the file is missing");
  return path;
}

Result<LevelDbManifest> read_manifest(const fs::path& folder) {
  const auto path = manifest_path(folder);
  if (!path) return path.error();
  const auto bytes = read_file(*path, {.max_bytes = kMostLogBytes});
  if (!bytes) return bytes.error();
  auto manifest = decode_leveldb_manifest(*bytes, {.max_bytes = kMostLogBytes});
  if (!manifest) return damaged(*path, manifest.error().message);
  if (Status s = check_tail(*path, *bytes, manifest->torn_bytes); !s) return s.error();
  return manifest;
}

Status check_tables(const fs::path& folder, const LevelDbManifest& manifest, const Files& files) {
  for (const LevelDbLiveTable& table : manifest.tables) {
    const auto at = files.tables.find(table.number);
    if (at == files.tables.end())
      return damaged(folder, message("table ", table.number, " is missing"));
    std::error_code failed;
    const std::uint64_t bytes = fs::file_size(at->second, failed);
    if (failed) return Error{ErrorCode::kIo, message(at->second.string(), ": ", failed.message())};
    if (bytes != table.file_bytes)
      return damaged(at->second, message("the file has ", bytes, " bytes, but was written with ",
                                         table.file_bytes));
  }
  return ok();
}

// Write-ahead logs one after the other. Every batch says the number of its first change, so that a
// batch that is not there leaves a gap.
class LogCheck {
 public:
  explicit LogCheck(std::uint64_t in_tables) : in_tables_{in_tables} {}

  Status check(const fs::path& path) {
    const auto bytes = read_file(path, {.max_bytes = kMostLogBytes});
    if (!bytes) return bytes.error();
    LevelDbLogReader reader{*bytes};
    Status batches = ok();
    while (batches) {
      const auto record = reader.next();
      if (!record) break;
      batches = check_batch(path, *record);
    }
    if (reader.damaged_bytes() > 0) return damaged(path, reader.first_damage());
    if (!batches) return batches;
    return check_tail(path, *bytes, reader.torn_bytes());
  }

 private:
  Status check_batch(const fs::path& path, ByteView record) {
    if (record.size() < kBatchHeader) return damaged(path, "a batch is shorter than its header");
    const auto first = load_le<std::uint64_t>(record.data());
    const auto count = load_le<std::uint32_t>(record.data() + 8);
    if (first < next_)
      return damaged(path, message("changes ", first, " to ", first + count - 1,
                                   " of the database come a second time"));
    const bool gap = next_ == 0 ? first > in_tables_ + 1 : first != next_;
    if (gap)
      return damaged(path, message("changes ", next_ == 0 ? in_tables_ + 1 : next_, " to ",
                                   first - 1, " of the database are missing"));
    next_ = first + count;
    return ok();
  }

  std::uint64_t in_tables_;  // the last change that the manifest knows
  std::uint64_t next_ = 0;   // the change that a batch should begin with; 0: not known
};

Status check_logs(const fs::path& folder, const LevelDbManifest& manifest, const Files& files) {
  // A new log is there before the manifest names it.
  if (manifest.log_number != 0 && !files.logs.contains(manifest.log_number))
    return damaged(folder, message("the write-ahead log ", manifest.log_number,
                                   " is missing, and what was written last with it"));
  LogCheck check{manifest.last_sequence};
  for (const auto& [number, path] : files.logs)
    if (manifest.needs_log(number))
      if (Status s = check.check(path); !s) return s;
  return ok();
}

}  // namespace

Status check_leveldb(const fs::path& folder) {
  const auto manifest = read_manifest(folder);
  if (!manifest) return manifest.error();
  const auto files = files_of(folder);
  if (!files) return files.error();
  if (Status s = check_tables(folder, *manifest, *files); !s) return s;
  return check_logs(folder, *manifest, *files);
}

Result<std::vector<std::byte>> leveldb_manifest_bytes(const fs::path& folder) {
  const auto path = manifest_path(folder);
  if (!path) return path.error();
  return read_file(*path, {.max_bytes = kMostLogBytes});
}

Result<std::vector<fs::path>> leveldb_logs(const fs::path& folder) {
  const auto files = files_of(folder);
  if (!files) return files.error();
  std::vector<fs::path> logs;
  for (const auto& [number, path] : files->logs) logs.push_back(path);
  return logs;
}

bool has_leveldb_data(const fs::path& folder) {
  const auto files = files_of(folder);
  return files && (!files->logs.empty() || !files->tables.empty());
}

}  // namespace bloomery::ethlog
