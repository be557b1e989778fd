// The queue of vectors to fetch: the requests of all searches over an index meet here, and the
// fetch threads take them, the lowest sections first.
#pragma once
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "apps/ethlog/index/bloombits/section_id.h"

namespace bloomery::ethlog {

// Vectors of one bit to fetch.
struct VectorRequest {
  std::uint32_t bit = 0;
  std::vector<SectionId> sections;  // ascending
};

// Safe for any number of threads.
class Distributor {
 public:
  // A vector that is queued already is not queued twice.
  void request(std::uint32_t bit, const SectionId& section);

  // Waits for a request. Takes the bit whose lowest queued section is lowest, with up to `most` of
  // its sections. Nothing once stopped. Precondition: `most` is not zero.
  std::optional<VectorRequest> take(std::size_t most, const std::stop_token& stop);

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::uint32_t, std::set<SectionId>> wanted_;      // by bit; no set is empty
  std::set<std::pair<SectionId, std::uint32_t>> next_bits_;  // each bit with its lowest section
};

}  // namespace bloomery::ethlog
