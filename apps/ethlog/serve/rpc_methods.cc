// The table of methods, and those that read the chain.
#include "apps/ethlog/serve/rpc_methods.h"

#include "apps/ethlog/json/block_json.h"
#include "apps/ethlog/json/rpc_json.h"
#include "apps/ethlog/serve/rpc_blocks.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using Outcome = std::optional<RpcError>;

constexpr RpcMethod kMethods[] = {
    {"eth_getLogs", get_logs},
    {"bloomery_getLogsPage", get_logs_page},
    {"eth_newFilter", new_filter},
    {"eth_newBlockFilter", new_block_filter},
    {"eth_getFilterChanges", get_filter_changes},
    {"eth_getFilterLogs", get_filter_logs},
    {"eth_uninstallFilter", uninstall_filter},
    {"eth_subscribe", subscribe},
    {"eth_unsubscribe", unsubscribe},
    {"eth_blockNumber", block_number},
    {"eth_chainId", chain_id},
    {"eth_getBlockByNumber", get_block_by_number},
    {"eth_getBlockByHash", get_block_by_hash},
    {"eth_getHeaderByNumber", get_header_by_number},
    {"eth_getHeaderByHash", get_header_by_hash},
    {"eth_getBlockReceipts", get_block_receipts},
    {"eth_getBlockTransactionCountByNumber", get_transaction_count},
    {"eth_getBlockTransactionCountByHash", get_transaction_count},
    {"eth_getTransactionByHash", get_transaction_by_hash},
    {"eth_getTransactionByBlockNumberAndIndex", get_transaction_by_index},
    {"eth_getTransactionByBlockHashAndIndex", get_transaction_by_index},
    {"eth_getTransactionReceipt", get_transaction_receipt},
    {"eth_syncing", syncing},
    {"net_version", net_version},
    {"net_listening", net_listening},
    {"web3_clientVersion", client_version},
    {"rpc_modules", rpc_modules},
};

Outcome append_whole_block(const RpcService& service, const BlockName& name, bool full,
                           std::string& out) {
  return with_block(service.chain.reader(), name, out, [&](const ImportedBlock& block) -> Outcome {
    if (full)
      if (auto error = check_transactions(block)) return error;
    append_block_json(out, block, full ? TransactionList::kWhole : TransactionList::kHashes);
    return std::nullopt;
  });
}

Outcome append_block_header(const RpcService& service, const BlockName& name, std::string& out) {
  return with_block(service.chain.reader(), name, out, [&](const ImportedBlock& block) -> Outcome {
    append_block_header_json(out, block.header);
    return std::nullopt;
  });
}

Outcome append_fixed(RpcArguments& arguments, std::string& out, std::string_view json) {
  if (const auto& error = arguments.finish()) return error;
  out += json;
  return std::nullopt;
}

}  // namespace

std::span<const RpcMethod> rpc_methods() { return kMethods; }

Outcome block_number(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                     std::string& out) {
  const auto head = service.chain.reader().head();
  if (!head) return failed(head.error().message);
  return append_fixed(arguments, out, "\"" + to_quantity(head->value_or(0)) + "\"");
}

Outcome chain_id(RpcService& service, RpcArguments& arguments, const RpcCaller&, std::string& out) {
  return append_fixed(arguments, out, "\"" + to_quantity(service.chain.chain_id()) + "\"");
}

Outcome get_block_by_number(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                            std::string& out) {
  const BlockBound number = arguments.block_number();
  const bool full = arguments.flag();
  if (const auto& error = arguments.finish()) return error;
  return append_whole_block(service, number, full, out);
}

Outcome get_block_by_hash(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                          std::string& out) {
  const Hash hash = arguments.hash();
  const bool full = arguments.flag();
  if (const auto& error = arguments.finish()) return error;
  return append_whole_block(service, hash, full, out);
}

Outcome get_header_by_number(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                             std::string& out) {
  const BlockBound number = arguments.block_number();
  if (const auto& error = arguments.finish()) return error;
  return append_block_header(service, number, out);
}

Outcome get_header_by_hash(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                           std::string& out) {
  const Hash hash = arguments.hash();
  if (const auto& error = arguments.finish()) return error;
  return append_block_header(service, hash, out);
}

Outcome get_block_receipts(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                           std::string& out) {
  const BlockName name = arguments.block_name();
  if (const auto& error = arguments.finish()) return error;
  return with_block(service.chain.reader(), name, out, [&](const ImportedBlock& block) -> Outcome {
    if (!block.has_receipts)
      return failed(
          message("the receipts of block ", to_quantity(block.header.number), " are not stored"));
    append_receipts_json(out, block);
    return std::nullopt;
  });
}

Outcome get_transaction_count(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                              std::string& out) {
  const BlockName name = arguments.block_name();
  if (const auto& error = arguments.finish()) return error;
  return with_block(service.chain.reader(), name, out, [&](const ImportedBlock& block) -> Outcome {
    const bool has_hashes = !block.body_rlp.empty() || !block.transaction_hashes.empty();
    if (!block.has_receipts && !has_hashes)
      return failed(message("the transactions of block ", to_quantity(block.header.number),
                            " are not stored"));
    out += "\"" +
           to_quantity(has_hashes ? block.transaction_hashes.size() : block.receipts.size()) + "\"";
    return std::nullopt;
  });
}

Outcome syncing(RpcService&, RpcArguments& arguments, const RpcCaller&, std::string& out) {
  return append_fixed(arguments, out, "false");
}

Outcome net_version(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                    std::string& out) {
  return append_fixed(arguments, out, message("\"", service.chain.chain_id(), "\""));
}

Outcome net_listening(RpcService&, RpcArguments& arguments, const RpcCaller&, std::string& out) {
  return append_fixed(arguments, out, "true");
}

Outcome client_version(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                       std::string& out) {
  std::string quoted;
  append_json_text(quoted, service.client_version);
  return append_fixed(arguments, out, quoted);
}

Outcome rpc_modules(RpcService&, RpcArguments& arguments, const RpcCaller&, std::string& out) {
  return append_fixed(arguments, out,
                      R"({"bloomery":"1.0","eth":"1.0","net":"1.0","rpc":"1.0","web3":"1.0"})");
}

}  // namespace bloomery::ethlog
