// The MANIFEST of a LevelDB database (C++ 1.23, goleveldb 2020-08): a log of edits which, one after
// the other, say what tables the database consists of, on which level, and for which keys.
#pragma once
#include "bloomery/formats/leveldb/log.h"

namespace bloomery {

inline constexpr std::string_view kLevelDbBytewiseComparator = "leveldb.BytewiseComparator";

struct LevelDbLiveTable {
  std::uint32_t level = 0;
  std::uint64_t number = 0;
  std::uint64_t file_bytes = 0;
  // As the file stores keys: both end in eight bytes of sequence and type.
  std::vector<std::byte> smallest;
  std::vector<std::byte> largest;
};

struct LevelDbManifest {
  std::string comparator;                 // empty: the first edits do not say it
  std::uint64_t log_number = 0;           // logs from this one on hold keys that no table has
  std::uint64_t previous_log_number = 0;  // and this one, unless 0
  std::uint64_t next_file_number = 0;
  std::uint64_t last_sequence = 0;
  std::uint64_t edits = 0;
  std::uint64_t torn_bytes = 0;          // of an edit at the end that was never finished
  std::vector<LevelDbLiveTable> tables;  // by level, then by number

  bool is_bytewise() const { return comparator == kLevelDbBytewiseComparator; }
  bool needs_log(std::uint64_t number) const {
    return number >= log_number || (previous_log_number != 0 && number == previous_log_number);
  }
  const LevelDbLiveTable* find_table(std::uint64_t number) const;
};

// An edit at the end that is not whole is left out, as by LevelDB; anything else that does not
// verify is an error, because the tables that remain would be the wrong ones.
Result<LevelDbManifest> decode_leveldb_manifest(ByteView file, DecodeLimits limits);

}  // namespace bloomery
