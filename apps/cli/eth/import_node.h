// eth import --from-rpc: blocks from an Ethereum node into a chain folder.
#pragma once
#include "apps/cli/eth/node_options.h"
#include "apps/cli/shell/json.h"
#include "apps/ethlog/import/import.h"

namespace bloomery::cli {

struct NodeImportArguments {
  std::string address;  // empty: blocks come from files
  std::optional<std::uint64_t> from;
  std::optional<std::uint64_t> to;
  std::optional<std::uint64_t> index_confirms;  // nothing: no index is made
  NodeArguments node;
};

void add_node_import_options(CommandLine& app, NodeImportArguments& arguments);
int import_node(const NodeImportArguments& arguments, const std::string& folder,
                std::optional<std::uint64_t> chain_id, const Session& session);

// What was recomputed and found equal, of the blocks that were stored.
std::string verified_text(const ethlog::ImportProgress& progress);
Json verified_json(const ethlog::ImportProgress& progress);
// Of imports from files as well.
void print_import_summary(const ethlog::ImportProgress& progress, const ethlog::ChainStore& store);

}  // namespace bloomery::cli
