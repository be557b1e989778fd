// A fetch over any source of vectors that counts what it is asked for, and searches with it.
#pragma once
#include <map>
#include <mutex>

#include "apps/ethlog/index/bloombits/direct_match.h"
#include "apps/ethlog/index/bloombits/matcher_session.h"

namespace bloomery::testing {

class CountingFetch {
 public:
  explicit CountingFetch(ethlog::VectorSource source) : source_{std::move(source)} {}

  ethlog::FetchVector function() {
    return [this](std::uint32_t bit, const ethlog::SectionId& section) {
      return (*this)(bit, section);
    };
  }
  Result<ethlog::FetchedVector> operator()(std::uint32_t bit, const ethlog::SectionId& section) {
    const std::lock_guard lock{mutex_};
    ++asked_[{bit, section.number}];
    const ByteView vector = source_(bit, section.number);
    return ethlog::FetchedVector{{vector.begin(), vector.end()}, vector.size()};
  }
  std::size_t distinct() const {
    const std::lock_guard lock{mutex_};
    return asked_.size();
  }
  std::size_t total() const {
    const std::lock_guard lock{mutex_};
    std::size_t sum = 0;
    for (const auto& [what, times] : asked_) sum += times;
    return sum;
  }

 private:
  mutable std::mutex mutex_;
  ethlog::VectorSource source_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> asked_;
};

inline ethlog::SectionHead no_heads() {
  return [](std::uint64_t) { return Result<ethlog::Hash>{ethlog::Hash{}}; };
}

inline std::vector<std::uint64_t> drain(ethlog::MatcherSession& session) {
  std::vector<std::uint64_t> all;
  while (const auto blocks = session.next_section())
    all.insert(all.end(), blocks->begin(), blocks->end());
  return all;
}

// One search over a fetcher.
struct SessionResult {
  std::vector<std::uint64_t> blocks;
  std::optional<Error> error;
  ethlog::SessionCost cost;
};
inline SessionResult search_with(ethlog::VectorFetcher& fetcher, std::uint64_t section_size,
                                 const std::vector<ethlog::BitClause>& clauses, std::uint64_t begin,
                                 std::uint64_t end, const ethlog::SessionOptions& options = {}) {
  ethlog::MatcherSession session{fetcher, section_size, clauses, begin,
                                 end,     no_heads(),   {},      options};
  SessionResult result{.blocks = drain(session), .error = {}, .cost = {}};
  result.error = session.error();
  result.cost = session.cost();
  return result;
}

}  // namespace bloomery::testing
