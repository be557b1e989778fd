// Whether a log is what a search asks for: exactly, by the log itself; perhaps, by a bloom.
#pragma once
#include "apps/ethlog/clauses.h"
#include "apps/ethlog/criteria.h"

namespace bloomery::ethlog {

// Trailing positions count: a query with two wildcards demands two topics.
bool matches(const LogQuery& query, const Log& log);

// The keys that a block's bloom must have. They view the query, which must outlive them.
std::vector<Clause> clauses_of(const LogQuery& query);

bool may_match(const Bloom& bloom, const std::vector<BitClause>& clauses);

}  // namespace bloomery::ethlog
