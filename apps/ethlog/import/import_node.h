// Blocks from an Ethereum node into the store. Can be stopped or killed at any moment and started
// again: it begins after what is stored.
#pragma once
#include "apps/ethlog/import/import.h"
#include "apps/ethlog/node/node_sync.h"

namespace bloomery::ethlog {

// The node's chain must be the one of the blocks in the store; an empty store takes over its id.
Status check_chain_id(ChainStore& store, std::uint64_t node, std::optional<std::uint64_t> wanted);

struct NodeImport {
  SyncRange range;
  std::optional<std::uint64_t> chain_id = {};  // that the node must have
  std::uint64_t sync_every = 1000;
  std::optional<std::uint64_t> index_confirms = {};  // as in ImportOptions
  OnImport on_progress = {};
  NodeSync::OnPlan on_plan = {};
};

// Stopped is no error. Errors of the node begin with its address.
Result<SyncReport> import_from_node(ChainStore& store, BlockFetcher& fetcher,
                                    const NodeImport& options, ImportProgress& progress,
                                    const std::stop_token& stop);

}  // namespace bloomery::ethlog
