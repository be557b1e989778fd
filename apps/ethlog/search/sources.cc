#include "apps/ethlog/search/sources.h"

#include "apps/ethlog/index/adaptive/search.h"

namespace bloomery::ethlog {

Result<std::vector<CandidateSource>> sources_of(const ChainReader& reader,
                                                std::shared_ptr<SearchThreads> threads) {
  if (threads == nullptr) threads = std::make_shared<SearchThreads>(reader);
  std::vector<CandidateSource> sources;
  auto adaptive = adaptive_source(reader, MatchMode::kAuto, threads);
  if (!adaptive) return adaptive.error();
  sources.push_back(std::move(*adaptive));
  auto bloombits = bloombits_source(reader, MatchMode::kAuto, std::move(threads));
  if (!bloombits) return bloombits.error();
  sources.push_back(std::move(*bloombits));
  return sources;
}

}  // namespace bloomery::ethlog
