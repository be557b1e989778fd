// Errors of JSON-RPC: go-ethereum's codes and texts (v1.17.5)
// where it has one, those of the hosted nodes for limits that it does not have.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::ethlog {

enum RpcCode : int {
  kRpcParse = -32700,
  kRpcInvalidRequest = -32600,
  kRpcNoMethod = -32601,
  kRpcInvalidParams = -32602,
  kRpcFailed = -32000,
  kRpcTimedOut = -32002,
  kRpcResponseTooLarge = -32003,
  kRpcLimit = -32005,  // as the hosted nodes say that a query found too much
  kRpcPruned = 4444,
};

struct RpcError {
  int code = kRpcFailed;
  std::string message;
  std::string data = {};  // JSON; empty: none
};

RpcError no_such_method(std::string_view method);
RpcError invalid_params(std::string text);
RpcError failed(std::string text);
// An error of a search. Its kInvalidArgument is -32602, but for "unknown block" and the headers
// that are not found, which go-ethereum has no code for.
RpcError search_error(const Error& error);

// {"code":…,"message":…}
void append_error_json(std::string& out, const RpcError& error);

}  // namespace bloomery::ethlog
