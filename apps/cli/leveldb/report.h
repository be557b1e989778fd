// The output of `inspect` for LevelDB's files, for people.
#pragma once
#include "apps/cli/leveldb/facts.h"

namespace bloomery::cli {

void print_table_facts(const LevelDbTableFacts& facts);
void print_database_facts(const std::string& path, const LevelDbDatabaseFacts& facts);
// Precondition: there is one. Names the table it is about.
std::string first_problem(const LevelDbDatabaseFacts& facts);

}  // namespace bloomery::cli
