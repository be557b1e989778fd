// The output of `inspect` for LevelDB's files, for people.
#pragma once
#include "apps/cli/leveldb/facts.h"

namespace bloomery::cli {

// `goal_rate`: --fpr; LevelDB stores no goal that could judge the health of its filters.
void print_table_facts(const LevelDbTableFacts& facts, std::optional<double> goal_rate);
void print_database_facts(const std::string& path, const LevelDbDatabaseFacts& facts,
                          std::optional<double> goal_rate);
// The goal with that rate, for judge.
std::optional<Goal> goal_of(std::optional<double> rate);
// Precondition: there is one. Names the table it is about.
std::string first_problem(const LevelDbDatabaseFacts& facts);

}  // namespace bloomery::cli
