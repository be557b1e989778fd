// Descriptions of damage in LevelDB's files.
#pragma once
#include "apps/cli/leveldb/facts.h"

namespace bloomery::cli {

// Adds to the facts' problems what checksums and the audit show.
void find_problems(LevelDbTableFacts& facts);
std::string log_problem(const LevelDbLog& log);

}  // namespace bloomery::cli
