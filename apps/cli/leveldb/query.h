// query of a LevelDB table or database: which tables and logs may contain a key.
#pragma once
#include "apps/cli/filters/queryable_filter.h"

namespace bloomery::cli {

struct TablesOptions {
  bool tables = false;  // each record after the tables that may hold it
};
void add_tables_options(CommandLine& app, TablesOptions& options);

// The database to query; null without --tables. Fails where the filter is
// none of LevelDB's.
Result<const LevelDbDatabase*> queried_database(const QueryableFilter& filter,
                                                const TablesOptions& options);

using LevelDbPlaces = std::vector<LevelDbDatabase::Place>;
// "0/000007.ldb,2/000005.ldb,log 9": level and file of each table; "-" where there is none.
std::string places_in_words(const LevelDbPlaces& places);
// One line of JSON for one record.
std::string places_json(std::uint64_t number, ByteView record, const LevelDbPlaces& places);

// What makes answers vaguer than they could be.
void warn_of_database(const std::string& path, const LevelDbDatabase& database,
                      const Globals& globals);

}  // namespace bloomery::cli
