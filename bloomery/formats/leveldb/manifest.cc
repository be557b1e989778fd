#include "bloomery/formats/leveldb/manifest.h"

#include <algorithm>
#include <map>

#include "bloomery/base/varint.h"
#include "bloomery/formats/leveldb/table.h"

namespace bloomery {
namespace {

// LevelDB 1.23, db/version_edit.cc; 8 was used by a version that was never published.
enum class Tag : std::uint8_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFileNumber = 3,
  kLastSequence = 4,
  kCompactPointer = 5,
  kDeletedFile = 6,
  kNewFile = 7,
  kPreviousLogNumber = 9,
};

constexpr std::uint64_t kMostLevels = 64;  // LevelDB has 7; goleveldb adds levels as it needs them

// One edit after the other is read into the state that they add up to.
class Replay {
 public:
  explicit Replay(DecodeLimits limits) : limits_{limits} {}

  Status apply(ByteView edit);
  LevelDbManifest finish() &&;

 private:
  using Place = std::pair<std::uint32_t, std::uint64_t>;  // level and number

  Status read_field(ByteReader& reader, std::uint64_t tag);
  Status read_new_file(ByteReader& reader);
  Status read_number(ByteReader& reader, std::uint64_t& to, std::string_view what);
  Status read_level(ByteReader& reader, std::uint32_t& to);
  Status read_bytes(ByteReader& reader, ByteView& to, std::string_view what);
  Status read_key(ByteReader& reader, std::vector<std::byte>& to);
  void forget(Place place);

  DecodeLimits limits_;
  std::uint64_t spent_ = 0;
  LevelDbManifest manifest_;
  std::map<Place, LevelDbLiveTable> tables_;
};

std::uint64_t cost_of(const LevelDbLiveTable& table) {
  constexpr std::uint64_t kNode = 64;
  return kNode + sizeof table + table.smallest.size() + table.largest.size();
}

Error edit_ends_inside(std::string_view what) {
  return {ErrorCode::kMalformed, message("an edit of the manifest ends inside ", what)};
}

Status Replay::read_number(ByteReader& reader, std::uint64_t& to, std::string_view what) {
  const auto number = read_varint(reader);
  if (!number) return edit_ends_inside(what);
  to = *number;
  return ok();
}

Status Replay::read_level(ByteReader& reader, std::uint32_t& to) {
  std::uint64_t level = 0;
  if (auto read = read_number(reader, level, "a level"); !read) return read;
  if (level >= kMostLevels)
    return Error{ErrorCode::kMalformed, message("an edit of the manifest names level ", level,
                                                ", and the last is ", kMostLevels - 1)};
  to = static_cast<std::uint32_t>(level);
  return ok();
}

Status Replay::read_bytes(ByteReader& reader, ByteView& to, std::string_view what) {
  std::uint64_t size = 0;
  if (auto read = read_number(reader, size, what); !read) return read;
  to = reader.take(size);
  if (reader.failed()) return edit_ends_inside(what);
  return ok();
}

Status Replay::read_key(ByteReader& reader, std::vector<std::byte>& to) {
  ByteView key;
  if (auto read = read_bytes(reader, key, "a key"); !read) return read;
  if (key.size() < kSequenceAndType)
    return Error{ErrorCode::kMalformed, message("an edit of the manifest has a key of ", key.size(),
                                                " bytes, and its sequence and type alone take 8")};
  to.assign(key.begin(), key.end());
  return ok();
}

void Replay::forget(Place place) {
  const auto found = tables_.find(place);
  if (found == tables_.end()) return;
  spent_ -= cost_of(found->second);
  tables_.erase(found);
}

Status Replay::read_new_file(ByteReader& reader) {
  LevelDbLiveTable table;
  if (auto read = read_level(reader, table.level); !read) return read;
  if (auto read = read_number(reader, table.number, "a table's number"); !read) return read;
  if (auto read = read_number(reader, table.file_bytes, "a table's size"); !read) return read;
  if (auto read = read_key(reader, table.smallest); !read) return read;
  if (auto read = read_key(reader, table.largest); !read) return read;
  const Place place{table.level, table.number};
  forget(place);
  spent_ += cost_of(table);
  if (spent_ > limits_.max_bytes)
    return Error{ErrorCode::kTooLarge, message("the tables of the manifest take more than the ",
                                               "limit of ", limits_.max_bytes, " bytes")};
  tables_.emplace(place, std::move(table));
  return ok();
}

Status Replay::read_field(ByteReader& reader, std::uint64_t tag) {
  Place place;
  ByteView skipped;
  switch (static_cast<Tag>(tag)) {
    case Tag::kComparator:
      if (auto read = read_bytes(reader, skipped, "the comparator's name"); !read) return read;
      manifest_.comparator = text_of(skipped);
      return ok();
    case Tag::kLogNumber:
      return read_number(reader, manifest_.log_number, "the number of the log");
    case Tag::kNextFileNumber:
      return read_number(reader, manifest_.next_file_number, "the next file's number");
    case Tag::kLastSequence:
      return read_number(reader, manifest_.last_sequence, "the last sequence");
    case Tag::kPreviousLogNumber:
      return read_number(reader, manifest_.previous_log_number, "the number of the log before");
    case Tag::kCompactPointer:
      if (auto read = read_level(reader, place.first); !read) return read;
      return read_bytes(reader, skipped, "a key");
    case Tag::kDeletedFile:
      if (auto read = read_level(reader, place.first); !read) return read;
      if (auto read = read_number(reader, place.second, "a table's number"); !read) return read;
      forget(place);
      return ok();
    case Tag::kNewFile:
      return read_new_file(reader);
  }
  return Error{ErrorCode::kMalformed,
               message("an edit of the manifest has a field of unknown kind ", tag)};
}

Status Replay::apply(ByteView edit) {
  ++manifest_.edits;
  ByteReader reader{edit};
  while (reader.remaining() > 0) {
    const auto tag = read_varint(reader);
    if (!tag) return edit_ends_inside("the kind of a field");
    // Kinds are small; a larger number must not turn into one of them when it is cut to a byte.
    if (auto read = read_field(reader, std::min<std::uint64_t>(*tag, UINT8_MAX)); !read)
      return read;
  }
  return ok();
}

LevelDbManifest Replay::finish() && {
  manifest_.tables.reserve(tables_.size());
  for (auto& [place, table] : tables_) manifest_.tables.push_back(std::move(table));
  return std::move(manifest_);
}

}  // namespace

const LevelDbLiveTable* LevelDbManifest::find_table(std::uint64_t number) const {
  const auto found = std::ranges::find(tables, number, &LevelDbLiveTable::number);
  return found == tables.end() ? nullptr : &*found;
}

Result<LevelDbManifest> decode_leveldb_manifest(ByteView file, DecodeLimits limits) {
  Replay replay{limits};
  LevelDbLogReader reader{file};
  std::uint64_t edits = 0;
  while (const auto edit = reader.next()) {
    if (reader.damaged_bytes() > 0) break;
    if (auto applied = replay.apply(*edit); !applied)
      return Error{applied.error().code,
                   message(applied.error().message, " (edit ", edits + 1, ")")};
    ++edits;
  }
  if (reader.damaged_bytes() > 0)
    return Error{ErrorCode::kMalformed, message("the manifest is damaged: ", reader.first_damage(),
                                                "; LevelDB would not open the database")};
  LevelDbManifest manifest = std::move(replay).finish();
  if (edits == 0 || manifest.next_file_number == 0)
    return Error{ErrorCode::kTruncated,
                 message("the manifest of ", file.size(),
                         " bytes ends before it says which files the database has")};
  manifest.torn_bytes = reader.torn_bytes();
  return manifest;
}

}  // namespace bloomery
