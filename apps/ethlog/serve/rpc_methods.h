// Every method of the server: takes its arguments, appends its result.
#pragma once
#include "apps/ethlog/serve/rpc.h"

namespace bloomery::ethlog {

using RpcRun = std::optional<RpcError>(RpcService& service, RpcArguments& arguments,
                                       const RpcCaller& caller, std::string& out);

// A search for a client: within its limits, and counted. `page` may be null.
std::optional<RpcError> append_search(RpcService& service, const LogQuery& query,
                                      const RpcCaller& caller, std::string& out,
                                      LogPage* page = nullptr);

// rpc_methods_page.cc
RpcRun get_logs_page;

// rpc_methods_logs.cc
RpcRun get_logs;
RpcRun new_filter;
RpcRun new_block_filter;
RpcRun get_filter_changes;
RpcRun get_filter_logs;
RpcRun uninstall_filter;
RpcRun subscribe;
RpcRun unsubscribe;

// rpc_methods_transactions.cc
RpcRun get_transaction_by_hash;
RpcRun get_transaction_by_index;
RpcRun get_transaction_receipt;

// rpc_methods.cc
RpcRun block_number;
RpcRun chain_id;
RpcRun get_block_by_number;
RpcRun get_block_by_hash;
RpcRun get_header_by_number;
RpcRun get_header_by_hash;
RpcRun get_block_receipts;
RpcRun get_transaction_count;
RpcRun syncing;
RpcRun net_version;
RpcRun net_listening;
RpcRun client_version;
RpcRun rpc_modules;

}  // namespace bloomery::ethlog
