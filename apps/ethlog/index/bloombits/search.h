// The bloom-bit index as a source of candidates.
#pragma once
#include "apps/ethlog/index/bloombits/candidate_source.h"
#include "apps/ethlog/index/bloombits/search_threads.h"

namespace bloomery::ethlog {

// The reader must outlive the source. Without threads to share, the source has its own.
Result<CandidateSource> bloombits_source(const ChainReader& reader,
                                         MatchMode mode = MatchMode::kAuto,
                                         std::shared_ptr<SearchThreads> threads = nullptr);

}  // namespace bloomery::ethlog
