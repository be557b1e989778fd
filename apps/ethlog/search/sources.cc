#include "apps/ethlog/search/sources.h"

#include "apps/ethlog/index/adaptive/search.h"

namespace bloomery::ethlog {

Result<std::vector<CandidateSource>> sources_of(const ChainReader& reader) {
  std::vector<CandidateSource> sources;
  auto adaptive = adaptive_source(reader);
  if (!adaptive) return adaptive.error();
  sources.push_back(std::move(*adaptive));
  auto bloombits = bloombits_source(reader);
  if (!bloombits) return bloombits.error();
  sources.push_back(std::move(*bloombits));
  return sources;
}

}  // namespace bloomery::ethlog
