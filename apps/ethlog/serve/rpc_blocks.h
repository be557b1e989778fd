// The block that a call names.
#pragma once
#include "apps/ethlog/serve/rpc_arguments.h"
#include "apps/ethlog/serve/rpc_errors.h"
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

// Nothing where there is no such block. A tag that the chain has no block for is an error.
Result<std::optional<BlockId>> find_block(const ChainReader& reader, const BlockName& name);

// Null in `block` where there is no such block.
std::optional<RpcError> read_block(const ChainReader& reader, const BlockName& name,
                                   ChainReader::Block& block);

// Why the whole transactions of the block cannot be given.
std::optional<RpcError> check_transactions(const ImportedBlock& block);

// `append(block)` for the block, or null where there is none.
template <class Append>
std::optional<RpcError> with_block(const ChainReader& reader, const BlockName& name,
                                   std::string& out, const Append& append) {
  ChainReader::Block block;
  if (auto error = read_block(reader, name, block)) return error;
  if (block != nullptr) return append(*block);
  out += "null";
  return std::nullopt;
}

}  // namespace bloomery::ethlog
