// A whole LevelDB database, asked for keys as Get would ask it: the logs, then of each level the
// tables whose range holds the key, and of each table the filter of the one data block that could
// hold it. Values are never read.
#pragma once
#include "bloomery/formats/leveldb/folder.h"
#include "bloomery/formats/leveldb/table.h"

namespace bloomery {

// What one table adds to the cost of a Get. The keys are user keys and outlive it.
struct LevelDbTableCost {
  std::uint32_t level = 0;
  double rate = 1;  // at which an absent key passes the filter it is asked from
  double keys = 0;
  ByteView smallest;
  ByteView largest;
};
struct LevelDbGetCost {
  double wasted_reads = 0;  // data blocks read in vain for one absent key
  double maybe_rate = 0;    // chance that any table answers "maybe"
};
// Of a key that is absent and lies in the range of every level: one table of each level is asked,
// of level 0 all that overlap where most do.
LevelDbGetCost cost_of_absent_get(std::span<const LevelDbTableCost> tables, bool bytewise);

// Many readers or one writer. Holds filters and indexes in memory; the folder may change meanwhile.
class LevelDbDatabase {
 public:
  struct Table {
    std::optional<std::uint32_t> level;  // none for a table that was opened alone
    std::uint64_t number = 0;
    std::string name;
    std::vector<std::byte> smallest;  // user keys
    std::vector<std::byte> largest;
    LevelDbTable table;
  };
  struct Place {  // one of the two is set
    const Table* table = nullptr;
    const LevelDbLog* log = nullptr;
  };

  // A folder, or a single table file. All filters and indexes together obey the limit. A table that
  // cannot be read answers "maybe" and says why in why_no_filters.
  static Result<LevelDbDatabase> open(const std::filesystem::path& path,
                                      const DecodeOptions& options);

  bool may_contain(ByteView key) const;
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const;
  // Where the key may be, newest first.
  void find_places(ByteView key, std::vector<Place>& places) const;

  std::span<const Table> tables() const { return tables_; }
  std::span<const LevelDbLog> logs() const { return folder_.logs; }
  const LevelDbManifest& manifest() const { return folder_.manifest; }
  bool is_folder() const { return is_folder_; }
  // False where the database has its own order of keys: then all filters of all tables are asked.
  bool uses_ranges() const { return !is_folder_ || folder_.manifest.is_bytewise(); }

 private:
  struct Level {
    std::size_t first;
    std::size_t last;
    bool is_searchable;  // its tables do not overlap
  };
  static Result<LevelDbDatabase> open_table(const std::filesystem::path& path,
                                            const DecodeOptions& options);
  Result<Table> read_table(const LevelDbLiveTable& live, ByteView file,
                           const DecodeOptions& options) const;
  Status load(const DecodeOptions& options, bool& changed);
  void find_levels();
  // Calls visit(table) for those that Get would look into, until it says true.
  template <class Visit>
  bool any_candidate(ByteView key, Visit visit) const;

  bool is_folder_ = false;
  LevelDbFolder folder_;
  std::vector<Table> tables_;  // by level; in level 0 the newest first, below by range
  std::vector<Level> levels_;
};

Description describe(const LevelDbDatabase& database);

}  // namespace bloomery
