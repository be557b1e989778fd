#include "apps/ethlog/serve/rpc.h"

#include <algorithm>

#include "apps/ethlog/json/rpc_json.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using Clock = std::chrono::steady_clock;

void append_error(std::string& out, std::string_view id, const RpcError& error) {
  out += R"({"jsonrpc":"2.0","id":)";
  out += id;
  out += ",\"error\":";
  append_error_json(out, error);
  out += '}';
}

std::string error_answer(const RpcError& error) {
  std::string out;
  append_error(out, "null", error);
  return out;
}

const RpcMethod* find_method(std::string_view name) {
  const auto methods = rpc_methods();
  const auto at = std::ranges::find_if(methods, [&](const auto& one) { return one.name == name; });
  return at == methods.end() ? nullptr : &*at;
}

// A client that calls too often.
std::optional<RpcError> refuse_call(RpcService& service, const RpcCaller& caller) {
  if (caller.verdict != nullptr) caller.verdict->calls += 1;
  const auto wait = service.clients->take_call(caller.client);
  if (!wait) return std::nullopt;
  if (caller.verdict != nullptr) {
    caller.verdict->refused += 1;
    caller.verdict->retry_after = std::max(caller.verdict->retry_after, *wait);
  }
  return RpcError{
      kRpcLimit,
      message("too many calls of this client: ", service.clients->limits().calls_per_second,
              " in a second are allowed; try again in ", wait->count(), " ms")};
}

}  // namespace

void RpcService::publish(const ChainChange& change) {
  if (filters.size() == 0 && subscriptions.size() == 0) return;
  const ChainEvent event{chain.reader(), change};
  filters.publish(event);
  subscriptions.publish(event);
}

// One message, as far as it could be read. Texts are those of the body.
struct Rpc::Request {
  bool version = false;
  std::string_view id;  // empty: there is none
  std::string method;
  std::string_view params;
  bool outcome = false;  // it has a result or an error, as an answer has

  explicit Request(std::string_view text) {
    if (json_kind(text) != JsonKind::kObject) return;
    visit_json_members(text, [this](const std::string& name, std::string_view value) {
      const bool string = json_kind(value) == JsonKind::kString;
      if (name == "jsonrpc") version = string && json_text(value) == "2.0";
      if (name == "id") id = value;
      if (name == "method") method = string ? json_text(value) : std::string{};
      if (name == "params") params = value;
      if (name == "result" || name == "error") outcome = true;
    });
  }
  bool has_valid_id() const {
    return !id.empty() && json_kind(id) != JsonKind::kObject && json_kind(id) != JsonKind::kArray;
  }
  bool is_notification() const { return version && id.empty() && !method.empty(); }
  bool is_call() const { return version && has_valid_id() && !method.empty(); }
  bool is_response() const { return version && has_valid_id() && method.empty() && outcome; }
};

bool Rpc::append_answer(std::string& out, const Request& request, const RpcCaller& caller,
                        std::size_t& result_bytes) const {
  if (request.is_response()) return false;
  if (!request.is_call() && !request.is_notification()) {
    append_error(out, request.has_valid_id() ? request.id : "null",
                 {kRpcInvalidRequest, "invalid request"});
    return true;
  }
  const auto begun = Clock::now();
  const std::size_t start = out.size();
  out += R"({"jsonrpc":"2.0","id":)";
  out += request.is_call() ? request.id : "null";
  out += ",\"result\":";
  const std::size_t result = out.size();
  const RpcMethod* method = find_method(request.method);
  std::optional<RpcError> error = refuse_call(service_, caller);
  if (!error && method == nullptr) error = no_such_method(request.method);
  if (!error) {
    RpcArguments arguments{request.params};
    error = method->run(service_, arguments, caller, out);
  }
  result_bytes += out.size() - result;
  out += '}';
  if (error || request.is_notification()) out.resize(start);
  if (error && request.is_call()) append_error(out, request.id, *error);
  service_.statistics.count(
      method == nullptr ? std::string_view{"other"} : method->name, error.has_value(),
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun));
  return request.is_call();
}

std::string Rpc::answer_batch(std::string_view body, const RpcCaller& caller) const {
  const RpcLimits& limits = service_.limits;
  const auto items = json_items(body, limits.batch_items + 1);
  if (items.empty()) return error_answer({kRpcInvalidRequest, "empty batch"});
  std::vector<Request> requests;
  requests.reserve(items.size());
  for (const std::string_view item : items) requests.emplace_back(item);
  std::string out = "[";
  if (items.size() > limits.batch_items) {
    const auto call = std::ranges::find_if(requests, &Request::is_call);
    append_error(out, call == requests.end() ? "null" : call->id,
                 {kRpcInvalidRequest, "batch too large"});
    return out + "]";
  }
  std::size_t result_bytes = 0;
  for (const Request& request : requests) {
    const std::size_t before = out.size();
    if (before > 1) out += ',';
    const bool late = caller.end.deadline && Clock::now() >= *caller.end.deadline;
    const bool large = result_bytes > limits.batch_bytes;
    bool answered = false;
    if (!late && !large) {
      answered = append_answer(out, request, caller, result_bytes);
    } else if (!request.is_notification() && !request.is_response()) {
      answered = true;
      append_error(out, request.has_valid_id() ? request.id : "null",
                   large ? RpcError{kRpcResponseTooLarge, "response too large"}
                         : RpcError{kRpcTimedOut, "request timed out"});
    }
    if (!answered) out.resize(before);
  }
  return out.size() == 1 ? std::string{} : out + "]";
}

std::string Rpc::answer(std::string_view body, RpcCaller caller) const {
  const std::string_view text = json_trimmed(body);
  if (text.empty()) return {};
  if (!is_json(text)) return error_answer({kRpcParse, "parse error"});
  const auto most = service_.limits.search.time;
  if (!caller.end.deadline && most.count() > 0) caller.end.deadline = Clock::now() + most;
  if (json_kind(text) == JsonKind::kArray) return answer_batch(text, caller);
  std::string out;
  std::size_t result_bytes = 0;
  if (!append_answer(out, Request{text}, caller, result_bytes)) return {};
  return out;
}

}  // namespace bloomery::ethlog
