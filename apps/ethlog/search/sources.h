// The indexes that a chain has for searches, the best first.
#pragma once
#include "apps/ethlog/index/bloombits/candidate_source.h"
#include "apps/ethlog/index/bloombits/search_threads.h"

namespace bloomery::ethlog {

// For LogSearch. The reader must outlive the sources. Searches that run at the same time share
// `threads`; without, these sources have their own.
Result<std::vector<CandidateSource>> sources_of(const ChainReader& reader,
                                                std::shared_ptr<SearchThreads> threads = nullptr);

}  // namespace bloomery::ethlog
