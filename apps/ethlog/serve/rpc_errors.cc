#include "apps/ethlog/serve/rpc_errors.h"

#include "apps/ethlog/json/rpc_json.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {

RpcError no_such_method(std::string_view method) {
  return {kRpcNoMethod, message("the method ", method, " does not exist/is not available")};
}

RpcError invalid_params(std::string text) { return {kRpcInvalidParams, std::move(text)}; }
RpcError failed(std::string text) { return {kRpcFailed, std::move(text)}; }

RpcError search_error(const Error& error) {
  const bool asked_wrongly = error.code == ErrorCode::kInvalidArgument &&
                             error.message != "unknown block" &&
                             !error.message.ends_with("header not found");
  return {asked_wrongly ? kRpcInvalidParams : kRpcFailed, error.message};
}

void append_error_json(std::string& out, const RpcError& error) {
  out += "{\"code\":";
  out += std::to_string(error.code);
  out += ",\"message\":";
  append_json_text(out, error.message);
  if (!error.data.empty()) {
    out += ",\"data\":";
    out += error.data;
  }
  out += '}';
}

}  // namespace bloomery::ethlog
