// Why an index got no section: too few blocks, too few of them confirmed, gaps, missing receipts,
// or because all sections are there.
#pragma once
#include "apps/ethlog/index/bloombits/index.h"

namespace bloomery::ethlog {

enum class IndexKind : std::uint8_t { kAdaptive, kBloombits };

// What a run that made no section of this kind found, as a sentence with what to do.
Result<std::string> why_no_section(const ChainStore& store, IndexKind kind,
                                   const IndexProgress& progress, std::uint64_t confirms);

}  // namespace bloomery::ethlog
