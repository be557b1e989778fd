// The adaptive index as a source of candidates, with the columns that check them.
#pragma once
#include "apps/ethlog/index/bloombits/search.h"

namespace bloomery::ethlog {

// The reader must outlive the source. Without threads to share, the source has its own.
Result<CandidateSource> adaptive_source(const ChainReader& reader,
                                        MatchMode mode = MatchMode::kAuto,
                                        std::shared_ptr<SearchThreads> threads = nullptr);

}  // namespace bloomery::ethlog
