// The index of transactions of a chain that was imported before there was one.
#pragma once
#include "apps/cli/shell/command.h"
#include "apps/ethlog/store/chain_store.h"

namespace bloomery::cli {

// Blocks that were put into it; 0 where none were left. A signal ends it after a whole block, and
// the next call goes on there.
Result<std::uint64_t> index_transactions(ethlog::ChainStore& store, const Session& session);

}  // namespace bloomery::cli
