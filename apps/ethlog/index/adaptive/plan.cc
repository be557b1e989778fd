#include "apps/ethlog/index/adaptive/plan.h"

#include <algorithm>
#include <cmath>

namespace bloomery::ethlog {
namespace {

// Reading and checking the columns of a block takes about as long as reading so many rows.
constexpr double kRowsPerCheck = 2;

}  // namespace

AdaptivePlan::AdaptivePlan(const LogQuery& query) : topics{query.topics.size()} {
  const std::size_t firsts = query.topics.empty() ? 0 : query.topics[0].size();
  as_pairs =
      !query.addresses.empty() && firsts > 0 && query.addresses.size() * firsts <= kMostPairs;
  QueryClause addresses;
  for (const Address& address : query.addresses) {
    if (!as_pairs) addresses.push_back({&address, nullptr});
    if (as_pairs)
      for (const Topic& topic : query.topics[0]) addresses.push_back({&address, &topic});
  }
  if (!addresses.empty()) clauses.push_back(std::move(addresses));
  for (std::size_t at = as_pairs ? 1 : 0; at < query.topics.size(); ++at) {
    QueryClause clause;
    for (const Topic& topic : query.topics[at]) clause.push_back({nullptr, &topic});
    if (!clause.empty()) clauses.push_back(std::move(clause));
  }
  std::ranges::stable_sort(clauses, {}, &QueryClause::size);
}

bool is_worth_reading(const SectionMetadata& meta, std::size_t keys, std::uint64_t blocks_left) {
  const double spared =
      static_cast<double>(blocks_left) * std::pow(1 - meta.rate, static_cast<double>(keys));
  return spared * kRowsPerCheck >= static_cast<double>(keys * meta.probes);
}

}  // namespace bloomery::ethlog
