// What a log search asks of the adaptive index, and in which order.
#pragma once
#include <vector>

#include "apps/ethlog/index/adaptive/section.h"
#include "apps/ethlog/model/log_query.h"

namespace bloomery::ethlog {

// Few pairs of an address and a first topic are asked for as pairs, which only blocks have that
// hold both in one log. Many are asked for by address and by topic: fewer rows.
inline constexpr std::size_t kMostPairs = 16;

// One key, which views the query.
struct QueryKey {
  const Address* address = nullptr;
  const Topic* topic = nullptr;  // with an address: the pair

  KeyDigest digest(SectionSalt salt) const {
    if (topic == nullptr) return address_digest(*address, salt);
    if (address == nullptr) return topic_digest(*topic, salt);
    return pair_digest(*address, *topic, salt);
  }
};
using QueryClause = std::vector<QueryKey>;  // any of them; never none

struct AdaptivePlan {
  std::vector<QueryClause> clauses;  // each must be met; the one with fewest keys first
  std::size_t topics = 0;            // that a log must have at least
  bool as_pairs = false;             // addresses are asked for with their first topics

  // Whether a block that has a key of each clause has a log that is asked for.
  bool decides() const { return topics == (as_pairs ? 1 : 0); }

  // The query must outlive the plan.
  explicit AdaptivePlan(const LogQuery& query);
};

// Whether the rows of a clause are worth reading while so many blocks are left: it must spare more
// checks of candidates than it costs reads. Thousands of keys together are in every block by
// chance.
bool is_worth_reading(const SectionMetadata& meta, std::size_t keys, std::uint64_t blocks_left);

}  // namespace bloomery::ethlog
