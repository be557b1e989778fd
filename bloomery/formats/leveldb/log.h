// LevelDB's log files (C++ 1.23, goleveldb 2020-08): records in blocks of 32 KiB, each piece with
// its checksum. A MANIFEST is such a file, and so is a write-ahead log (*.log), whose records are
// batches of keys that no table holds yet.
#pragma once
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/limits.h"
#include "bloomery/base/result.h"

namespace bloomery {

// Records one after the other. What does not verify is left out and counted, as LevelDB does when
// it recovers; who cannot do without it looks at damaged_bytes(). Takes no more memory than the
// longest record, which is shorter than the file.
class LevelDbLogReader {
 public:
  explicit LevelDbLogReader(ByteView file) : file_{file} {}

  // The next record, valid until the next call; none at the end.
  std::optional<ByteView> next();

  std::uint64_t damaged_bytes() const { return damaged_bytes_; }
  const std::string& first_damage() const { return first_damage_; }  // a sentence; empty: none
  // A record at the end that is not whole: its writer died, or is still writing. No damage.
  std::uint64_t torn_bytes() const { return torn_bytes_; }

 private:
  enum class Piece : std::uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4, kEnd, kSkipped };
  struct Read {
    Piece piece;
    ByteView data;
    std::size_t at;
  };
  Read read_piece();
  Read skip_block(std::size_t at, std::size_t block_end, std::string_view what);
  void drop(std::size_t at, std::uint64_t bytes, std::string_view what);
  void drop_unfinished(std::string_view what);
  Read end_here(std::size_t at);

  ByteView file_;
  std::size_t position_ = 0;
  bool in_record_ = false;
  std::size_t record_at_ = 0;
  std::vector<std::byte> record_;
  std::uint64_t damaged_bytes_ = 0;
  std::uint64_t torn_bytes_ = 0;
  std::string first_damage_;
};

// The keys of one record of a write-ahead log, in the order in which they were written.
class LevelDbBatch {
 public:
  static Result<LevelDbBatch> open(ByteView record);
  Result<bool> next();  // false after the last; an error where there are more or fewer than it says
  ByteView key() const { return key_; }
  bool is_deletion() const { return is_deletion_; }

 private:
  LevelDbBatch(ByteView entries, std::uint32_t count) : reader_{entries}, left_{count} {}
  ByteReader reader_;
  std::uint32_t left_;
  ByteView key_;
  bool is_deletion_ = false;
};

// What a write-ahead log holds.
struct LevelDbLog {
  std::uint64_t number = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t batches = 0;
  std::uint64_t writes = 0;  // deletions among them
  std::uint64_t deletions = 0;
  std::unordered_set<std::string> keys;  // written or deleted
  std::uint64_t torn_bytes = 0;
  std::uint64_t damaged_bytes = 0;
  std::string first_damage;
  bool is_missing = false;  // the manifest names it, and the folder does not have it

  // A damaged or missing log may have held any key.
  bool may_contain(ByteView key) const;
};

// kTooLarge where the keys would take more memory than the limit.
Result<LevelDbLog> decode_leveldb_log(ByteView file, DecodeLimits limits);

}  // namespace bloomery
