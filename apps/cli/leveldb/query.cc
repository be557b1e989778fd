#include "apps/cli/leveldb/query.h"

#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {

void add_tables_options(CommandLine& app, TablesOptions& options) {
  app.add_flag("--tables", options.tables,
               "leveldb: print the tables and logs that may contain each record (level/file) and a "
               "tab before it; with --json, one line for each record")
      ->group("Options of one format");
}

Result<const LevelDbDatabase*> queried_database(const QueryableFilter& filter,
                                                const TablesOptions& options) {
  if (!options.tables) return static_cast<const LevelDbDatabase*>(nullptr);
  if (filter.database() != nullptr) return filter.database();
  return Error{ErrorCode::kInvalidArgument, "--tables needs a LevelDB table or database"};
}

std::string places_in_words(const LevelDbPlaces& places) {
  std::string words;
  for (const auto& place : places) {
    if (!words.empty()) words += ',';
    if (place.log != nullptr) {
      words += message("log ", place.log->number);
      continue;
    }
    if (place.table->level) words += message(*place.table->level, "/");
    words += place.table->name;
  }
  return words.empty() ? "-" : words;
}

std::string places_json(std::uint64_t number, ByteView record, const LevelDbPlaces& places) {
  Json json{{"number", number},
            {"record", text_of(record)},
            {"answer", places.empty() ? "no" : "maybe"},
            {"tables", Json::array()},
            {"logs", Json::array()}};
  for (const auto& place : places) {
    if (place.log != nullptr) {
      json["logs"].push_back(place.log->number);
      continue;
    }
    const auto& table = *place.table;
    json["tables"].push_back(Json{{"file", table.name},
                                  {"level", table.level ? Json(*table.level) : Json(nullptr)},
                                  {"number", table.level ? Json(table.number) : Json(nullptr)}});
  }
  return json.dump() + "\n";
}

void warn_of_database(const std::string& path, const LevelDbDatabase& database,
                      const Globals& globals) {
  if (globals.quiet) return;
  if (!database.is_folder()) {
    const LevelDbTable& table = database.tables().front().table;
    if (!table.filters) warn(path, "every key is answered with \"maybe\": " + table.why_no_filters);
    return;
  }
  if (!database.uses_ranges())
    warn(path, message("the database orders its keys by ", database.manifest().comparator,
                       ", which is unknown: every filter of every table is queried"));
  for (const LevelDbLog& log : database.logs())
    if (log.is_missing)
      warn(path, message("log ", log.number, " is missing, and may have held any key"));
    else if (log.damaged_bytes > 0)
      warn(path, message("log ", log.number, " is damaged (", log.first_damage,
                         "), and may have held any key"));
  std::size_t without = 0;
  const LevelDbDatabase::Table* first = nullptr;
  for (const auto& one : database.tables()) {
    if (one.table.filters) continue;
    if (without++ == 0) first = &one;
  }
  if (without > 0)
    warn(path, message(format_count(without), " of ", format_count(database.tables().size()),
                       " tables cannot be queried: every key in their range is \"maybe\"; ",
                       first->name, ": ", first->table.why_no_filters));
}

}  // namespace bloomery::cli
