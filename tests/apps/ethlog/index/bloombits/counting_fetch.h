// A fetch over any source of vectors that remembers what was asked of it.
#pragma once
#include <map>

#include "apps/ethlog/index/bloombits/direct_match.h"
#include "apps/ethlog/index/bloombits/matcher.h"

namespace bloomery::testing {

class CountingFetch {
 public:
  explicit CountingFetch(ethlog::VectorSource source) : source_{std::move(source)} {}

  ethlog::FetchVectors function() {
    return [this](const ethlog::VectorRequest& request) { return (*this)(request); };
  }
  Result<std::vector<std::vector<std::byte>>> operator()(const ethlog::VectorRequest& request) {
    std::vector<std::vector<std::byte>> vectors;
    const std::lock_guard lock{mutex_};
    batches_.push_back(request.sections.size());
    for (const std::uint64_t section : request.sections) {
      ++asked_[{request.bit, section}];
      const ByteView vector = source_(request.bit, section);
      vectors.emplace_back(vector.begin(), vector.end());
    }
    return vectors;
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
  std::vector<std::size_t> batches() const {
    const std::lock_guard lock{mutex_};
    return batches_;
  }

 private:
  mutable std::mutex mutex_;
  ethlog::VectorSource source_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> asked_;
  std::vector<std::size_t> batches_;
};

inline std::vector<std::uint64_t> drain(ethlog::MatcherSession& session) {
  std::vector<std::uint64_t> blocks;
  while (const auto block = session.next()) blocks.push_back(*block);
  return blocks;
}

}  // namespace bloomery::testing
