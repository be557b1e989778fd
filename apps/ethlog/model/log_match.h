// Matching: exactly, by the log itself; with false positives, by a bloom.
#pragma once
#include "apps/ethlog/model/clauses.h"
#include "apps/ethlog/model/log_query.h"

namespace bloomery::ethlog {

// A query whose lists are sorted, each key in them once: it has the same logs. A list may have a
// hundred thousand keys, so this is done once, before logs are compared.
class SortedQuery {
 public:
  explicit SortedQuery(LogQuery query);
  const LogQuery& query() const { return query_; }

 private:
  LogQuery query_;
};

// Trailing positions count: a query with two wildcards demands two topics.
bool matches(const SortedQuery& query, const Log& log);

// The keys that a block's bloom must have. They view the query, which must outlive them.
std::vector<Clause> clauses_of(const LogQuery& query);

bool may_match(const Bloom& bloom, const std::vector<BitClause>& clauses);

}  // namespace bloomery::ethlog
