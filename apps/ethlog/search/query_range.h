// The range of blocks that a query covers in a chain.
#pragma once
#include "apps/ethlog/model/block_range.h"
#include "apps/ethlog/model/log_query.h"
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

// What a range that ends beyond the newest block is: an error, or cut there.
enum class BeyondHead : std::uint8_t { kError, kCut };

// Resolves tags to numbers by the rules of go-ethereum v1.17.5; the errors have its texts. Nothing
// in a chain without blocks. Precondition: not a query by block hash.
Result<std::optional<BlockRange>> resolve_range(const ChainReader& reader, const LogQuery& query,
                                                BeyondHead beyond_head);

// An error if the query covers lost blocks (ChainReader::lost). A query up to the newest block
// covers all of them.
Status check_none_lost(const ChainReader& reader, const LogQuery& query,
                       const std::optional<BlockRange>& resolved);

}  // namespace bloomery::ethlog
