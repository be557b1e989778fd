#include "apps/ethlog/json/rpc_json.h"
#include "apps/ethlog/serve/rpc_methods.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using Outcome = std::optional<RpcError>;

constexpr std::string_view kTooManyFilters =
    "too many filters; uninstall one first (eth_uninstallFilter)";
constexpr std::chrono::milliseconds kSearchRetry{1'000};
constexpr std::string_view kTooManySubscriptions =
    "too many subscriptions; remove one first (eth_unsubscribe)";

RpcError too_many_searches(const RpcService& service, const RpcCaller& caller) {
  if (caller.verdict != nullptr) {
    caller.verdict->refused += 1;
    caller.verdict->retry_after = std::max(caller.verdict->retry_after, kSearchRetry);
  }
  return {kRpcLimit,
          message("too many searches of this client at the same time: ",
                  service.clients->limits().searches, " are allowed; wait for one of them")};
}

// What go-ethereum takes for events that are yet to come.
Outcome check_live_range(const LogQuery& query) {
  BlockBound from = query.from.value_or(BlockBound{});
  const BlockBound to = query.to.value_or(BlockBound{});
  if (from.tag == BlockTag::kEarliest) from = {BlockTag::kNumber, 0};
  if (from.tag == BlockTag::kPending || to.tag == BlockTag::kPending)
    return invalid_params("pending logs are not supported");
  if (to.tag == BlockTag::kLatest &&
      (from.tag == BlockTag::kLatest || from.tag == BlockTag::kNumber))
    return std::nullopt;
  if (from.tag == BlockTag::kNumber && to.tag == BlockTag::kNumber && from.number <= to.number)
    return std::nullopt;
  return invalid_params("invalid block range params");
}

Outcome check_live(const RpcService& service, const LogQuery& query) {
  if (auto error = check_sizes(query, service.limits.search)) return error;
  return check_live_range(query);
}

// Without an id, `refusal` is the error: a limit is reached.
Outcome append_id(const std::optional<std::string>& id, std::string_view refusal,
                  std::string& out) {
  if (!id) return RpcError{kRpcLimit, std::string{refusal}};
  out += "\"" + *id + "\"";
  return std::nullopt;
}

Outcome append_filter(const RpcService& service, const Filters::Added& added, std::string& out) {
  if (const auto* id = std::get_if<std::string>(&added))
    return append_id(*id, kTooManyFilters, out);
  if (std::get<Filters::Refusal>(added) == Filters::Refusal::kOfAll)
    return append_id(std::nullopt, kTooManyFilters, out);
  return RpcError{kRpcLimit, message("too many filters of this client: it has ",
                                     service.limits.filters.of_one_client,
                                     "; uninstall some of them first (eth_uninstallFilter)")};
}

}  // namespace

Outcome append_search(RpcService& service, const LogQuery& query, const RpcCaller& caller,
                      std::string& out, LogPage* page) {
  const auto right = service.clients->begin_search(caller.client);
  if (!right) return too_many_searches(service, caller);
  PastQuery past{.when = std::chrono::system_clock::now(), .addresses = query.addresses.size()};
  for (const auto& choices : query.topics) past.topics += choices.size();
  auto error = append_found_logs(service.chain, service.threads, query, service.limits.search,
                                 caller.end, out, past.cost, page);
  past.error = error ? error->code : 0;
  service.statistics.count(std::move(past));
  return error;
}

Outcome get_logs(RpcService& service, RpcArguments& arguments, const RpcCaller& caller,
                 std::string& out) {
  const LogQuery query = arguments.criteria();
  if (const auto& error = arguments.finish()) return error;
  return append_search(service, query, caller, out);
}

Outcome new_filter(RpcService& service, RpcArguments& arguments, const RpcCaller& caller,
                   std::string& out) {
  LogQuery query = arguments.criteria();
  if (const auto& error = arguments.finish()) return error;
  if (auto error = check_live(service, query)) return error;
  return append_filter(service, service.filters.add_logs(std::move(query), caller.client), out);
}

Outcome new_block_filter(RpcService& service, RpcArguments& arguments, const RpcCaller& caller,
                         std::string& out) {
  if (const auto& error = arguments.finish()) return error;
  return append_filter(service, service.filters.add_blocks(caller.client), out);
}

Outcome get_filter_changes(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                           std::string& out) {
  const std::string id = arguments.text("rpc.ID");
  if (const auto& error = arguments.finish()) return error;
  const auto changes = service.filters.take_changes(id);
  if (!changes) return failed("filter not found");
  out += *changes;
  return std::nullopt;
}

Outcome get_filter_logs(RpcService& service, RpcArguments& arguments, const RpcCaller& caller,
                        std::string& out) {
  const std::string id = arguments.text("rpc.ID");
  if (const auto& error = arguments.finish()) return error;
  const auto query = service.filters.query_of(id);
  if (!query) return failed("filter not found");
  return append_search(service, *query, caller, out);
}

Outcome uninstall_filter(RpcService& service, RpcArguments& arguments, const RpcCaller&,
                         std::string& out) {
  const std::string id = arguments.text("rpc.ID");
  if (const auto& error = arguments.finish()) return error;
  out += service.filters.remove(id) ? "true" : "false";
  return std::nullopt;
}

Outcome subscribe(RpcService& service, RpcArguments& arguments, const RpcCaller& caller,
                  std::string& out) {
  if (caller.peer == nullptr) return RpcError{kRpcNoMethod, "notifications not supported"};
  const auto kind = arguments.subscription_name();
  if (!kind) return arguments.finish();
  if (*kind == "newHeads") {
    if (const auto& error = arguments.finish()) return error;
    return append_id(service.subscriptions.add_heads(caller.peer), kTooManySubscriptions, out);
  }
  if (*kind != "logs") {
    std::string quoted;
    append_json_text(quoted, *kind);
    return RpcError{kRpcNoMethod, message("no ", quoted, " subscription in eth namespace")};
  }
  LogQuery query = arguments.criteria();
  if (const auto& error = arguments.finish()) return error;
  if (auto error = check_live(service, query)) return error;
  return append_id(service.subscriptions.add_logs(caller.peer, std::move(query)),
                   kTooManySubscriptions, out);
}

Outcome unsubscribe(RpcService& service, RpcArguments& arguments, const RpcCaller& caller,
                    std::string& out) {
  const std::string id = arguments.text("rpc.ID");
  if (const auto& error = arguments.finish()) return error;
  if (caller.peer == nullptr || !service.subscriptions.remove(caller.peer, id))
    return failed("subscription not found");
  out += "true";
  return std::nullopt;
}

}  // namespace bloomery::ethlog
