// Keeps the indexes of a growing chain complete: every index that the store has, or the adaptive
// index where it has none yet.
#pragma once
#include <stop_token>

#include "apps/ethlog/store/chain_events.h"

namespace bloomery::ethlog {

class SectionKeeper {
 public:
  // A section waits until `confirms` blocks have come after it. The chain must outlive it.
  SectionKeeper(LiveChain& chain, std::uint64_t confirms) : chain_{chain}, confirms_{confirms} {}

  // Makes what is missing, and says how many sections that were. Cheap where nothing is.
  Result<std::uint64_t> run(const std::stop_token& stop);

 private:
  // What decides whether there is something to do.
  struct Seen {
    std::uint64_t sections = 0;  // that are complete and confirmed
    std::uint64_t reorganisations = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  Result<Seen> look() const;

  LiveChain& chain_;
  std::uint64_t confirms_;
  std::optional<Seen> done_;
};

}  // namespace bloomery::ethlog
