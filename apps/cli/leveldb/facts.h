// What `inspect` finds out about LevelDB's tables and databases, before it is printed.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/shell/globals.h"
#include "bloomery/formats/leveldb/audit.h"
#include "bloomery/formats/leveldb/database.h"

namespace bloomery::cli {

struct LevelDbTableFacts {
  std::string name;
  std::optional<std::uint32_t> level;  // none for a table that was opened alone
  std::uint64_t number = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t data_blocks = 0;
  std::uint64_t data_bytes = 0;  // as they are stored
  std::string policy;            // empty: no filter
  std::vector<std::string> other_policies;
  std::string why_no_filters;
  LevelDbChecksum metaindex_checksum = LevelDbChecksum::kAbsent;
  LevelDbChecksum index_checksum = LevelDbChecksum::kAbsent;
  LevelDbChecksum filter_checksum = LevelDbChecksum::kAbsent;
  std::optional<std::uint32_t> base_lg;
  LevelDbFilterSummary filters;
  std::optional<LevelDbAudit> audit;  // none where data blocks were not read
  std::vector<std::byte> smallest;    // user keys, as the manifest says
  std::vector<std::byte> largest;
  std::vector<std::string> problems;  // sentences; each is damage
  Description description;            // of a table that was opened alone

  // Counted in the data blocks, or estimated from the filters.
  double keys() const;
};

struct LevelDbTotals {  // of one level, or of all
  std::uint64_t tables = 0;
  std::uint64_t tables_with_filters = 0;
  std::uint64_t file_bytes = 0;
  double keys = 0;
  std::uint64_t deletions = 0;
  std::uint64_t filters = 0;
  std::uint64_t filter_bytes = 0;
  std::uint64_t bits = 0;
  double keys_with_filters = 0;
  double fill = 0;  // of all bits
  double rate = 0;  // of the filter that an absent key is looked up in; 1 for a table without
  std::uint64_t data_blocks = 0;
  std::uint64_t damaged_blocks = 0;
  std::uint64_t denied_keys = 0;

  std::optional<double> bits_per_key() const;
};

struct LevelDbDatabaseFacts {
  LevelDbFolder folder;
  std::vector<LevelDbTableFacts> tables;   // by level and number
  std::vector<LevelDbTableFile> not_live;  // in the folder, and not in the manifest
  std::vector<std::string> replaced;       // gone while the database was read, as it does without
  std::vector<std::string> problems;       // of the folder; those of tables are with them
  std::map<std::uint32_t, LevelDbTotals> levels;
  LevelDbTotals total;
  LevelDbGetCost absent_get;

  std::size_t problem_count() const;
};

struct LevelDbInspection {
  bool quick = false;  // data blocks are not read
  DecodeOptions decode;
};

Result<LevelDbTableFacts> find_table_facts(const std::string& path,
                                           const LevelDbInspection& inspection,
                                           const Globals& globals);
Result<LevelDbDatabaseFacts> find_database_facts(const std::string& path,
                                                 const LevelDbInspection& inspection,
                                                 const Globals& globals);

// A key in a sentence: quoted where it is text, else in hexadecimal, and not too long.
std::string shown_key(ByteView key);

}  // namespace bloomery::cli
