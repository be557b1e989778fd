// Which indexes a chain has for a search, the best first: one list for everyone who searches.
#pragma once
#include "apps/ethlog/index/bloombits/candidate_source.h"
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

// For LogSearch. The reader must outlive the sources.
Result<std::vector<CandidateSource>> sources_of(const ChainReader& reader);

}  // namespace bloomery::ethlog
