// JSON-RPC 2.0 as a client: requests from calls, and the answers to them out of untrusted text.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "apps/ethlog/node/node_failure.h"

namespace bloomery::ethlog {

struct RpcCall {
  std::string method;
  std::string params;     // a JSON array
  bool may_fail = false;  // an error is an answer to it as well, and not tried again
};

// One call is an object, several are a batch. The ids count up from `first_id`.
std::string encode_calls(std::span<const RpcCall> calls, std::uint64_t first_id);

struct RpcAnswer {
  std::string result;  // JSON text; meaningful without a fault
  std::optional<RpcFault> fault;
};
struct RpcAnswers {
  // One for each call, in their order, whatever the order of the text; nothing where none came.
  std::vector<std::optional<RpcAnswer>> of_calls;
  std::optional<RpcFault> of_all;  // an error that stands for the whole request
};
// kMalformed where it is no JSON, an answer has another id or comes twice, or has neither a result
// nor an error.
Result<RpcAnswers> decode_answers(std::string_view text, std::uint64_t first_id, std::size_t count);

}  // namespace bloomery::ethlog
