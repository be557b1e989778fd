// The adaptive index as a source of candidates, with the columns that check them.
#pragma once
#include "apps/ethlog/index/bloombits/search.h"

namespace bloomery::ethlog {

// The reader must outlive the source.
Result<CandidateSource> adaptive_source(const ChainReader& reader,
                                        MatchWay way = MatchWay::kDirect);

}  // namespace bloomery::ethlog
