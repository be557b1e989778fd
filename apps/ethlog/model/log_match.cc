#include "apps/ethlog/model/log_match.h"

#include <algorithm>

namespace bloomery::ethlog {
namespace {

template <class T>
void sort_choices(std::vector<T>& choices) {
  std::ranges::sort(choices);
  choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
  choices.shrink_to_fit();  // filters count the bytes of the query they keep
}

template <class T>
bool is_one_of(const T& value, const std::vector<T>& choices) {
  return choices.empty() || std::ranges::binary_search(choices, value);
}

bool has_bit(const Bloom& bloom, std::uint32_t bit) {
  return (bloom.bytes[Bloom::kSize - 1 - bit / 8] & std::byte{1} << bit % 8) != std::byte{0};
}

}  // namespace

SortedQuery::SortedQuery(LogQuery query) : query_{std::move(query)} {
  sort_choices(query_.addresses);
  for (std::vector<Topic>& choices : query_.topics) sort_choices(choices);
}

bool matches(const SortedQuery& sorted, const Log& log) {
  const LogQuery& query = sorted.query();
  if (query.topics.size() > log.topics.size()) return false;
  if (!is_one_of(log.address, query.addresses)) return false;
  for (std::size_t i = 0; i < query.topics.size(); ++i)
    if (!is_one_of(log.topics[i], query.topics[i])) return false;
  return true;
}

std::vector<Clause> clauses_of(const LogQuery& query) {
  std::vector<Clause> clauses;
  clauses.emplace_back();
  for (const Address& address : query.addresses) clauses.back().emplace_back(address.view());
  for (const std::vector<Topic>& choices : query.topics) {
    clauses.emplace_back();
    for (const Topic& topic : choices) clauses.back().emplace_back(topic.view());
  }
  return clauses;
}

bool may_match(const Bloom& bloom, const std::vector<BitClause>& clauses) {
  return std::ranges::all_of(clauses, [&](const BitClause& clause) {
    return std::ranges::any_of(clause, [&](const KeyBits& key) {
      return std::ranges::all_of(key, [&](std::uint32_t bit) { return has_bit(bloom, bit); });
    });
  });
}

}  // namespace bloomery::ethlog
