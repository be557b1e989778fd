// The --json of `inspect` for LevelDB's files. Its members are a contract: scripts read them.
#pragma once
#include "apps/cli/leveldb/facts.h"

namespace bloomery::cli {

// The members of every filter, and `table`.
std::string table_facts_json(const LevelDbTableFacts& facts);
std::string database_facts_json(const LevelDbDatabaseFacts& facts);

}  // namespace bloomery::cli
