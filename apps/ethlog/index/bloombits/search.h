// The bloom-bit index as a source of candidates.
#pragma once
#include "apps/ethlog/index/bloombits/candidate_source.h"
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

// kDirect reads and combines section after section in the calling thread; kThreads fetches the
// vectors of the next sections meanwhile, which pays where a read waits for a disk.
enum class MatchWay : std::uint8_t { kDirect, kThreads };

// The reader must outlive the source.
Result<CandidateSource> bloombits_source(const ChainReader& reader,
                                         MatchWay way = MatchWay::kDirect);

}  // namespace bloomery::ethlog
