#include "apps/ethlog/node/node_failure.h"

#include <algorithm>

#include "apps/ethlog/model/hex.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using Words = std::initializer_list<std::string_view>;

bool has_any(const std::string& text, Words words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::string lowered(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

NodeTrouble trouble_of(const RpcFault& fault) {
  const std::string text = lowered(fault.text);
  const bool no_method =
      text.find("method") != std::string::npos &&
      has_any(text, {"not found", "not supported", "unsupported", "not available", "not exist",
                     "not allowed", "not enabled", "disabled", "unknown", "not whitelisted"});
  if (fault.code == -32601 || no_method || has_any(text, {"not implemented"}))
    return NodeTrouble::kNoMethod;
  if (fault.code == -32003 ||
      has_any(text, {"too large", "too big", "response size", "batch limit", "batch size",
                     "too many requests in", "maximum batch", "block range", "more than",
                     "range exceed", "exceeds the range", "too many results", "too many logs",
                     "max results", "query exceeds", "payload"}))
    return NodeTrouble::kTooLarge;
  if (fault.code == -32005 || fault.code == 429 || fault.code == -32029 ||
      has_any(text, {"rate limit", "ratelimit", "too many requests", "limit exceeded", "capacity",
                     "compute units", "throughput", "slow down", "request limit"}))
    return NodeTrouble::kBusy;
  if (fault.code == -32602 || fault.code == -32600 || fault.code == 4444 ||
      has_any(text, {"pruned", "unauthorized", "forbidden", "api key", "invalid token",
                     "not stored", "archive", "history"}))
    return NodeTrouble::kRefused;
  return NodeTrouble::kPassing;
}

// A quantity at the start of the text, after spaces and quotes; it is cut off.
std::optional<std::uint64_t> take_quantity(std::string_view& text) {
  const std::size_t first = text.find_first_not_of(" \"':");
  if (first == std::string_view::npos) return std::nullopt;
  text.remove_prefix(first);
  const std::size_t end = std::min(text.find_first_not_of("0123456789abcdefABCDEFxX"), text.size());
  const auto number = number_from_quantity(text.substr(0, end));
  text.remove_prefix(end);
  return number;
}

std::optional<BlockRange> in_order(std::optional<std::uint64_t> first,
                                   std::optional<std::uint64_t> last) {
  if (!first || !last || *first > *last) return std::nullopt;
  return BlockRange{*first, *last};
}

std::optional<std::uint64_t> member_quantity(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + name.size());
  return take_quantity(text);
}

}  // namespace

std::optional<BlockRange> range_hint(std::string_view text) {
  for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    std::string_view rest = text.substr(at + 1);
    const auto first = take_quantity(rest);
    const std::size_t comma = rest.find_first_not_of(" \"'");
    if (!first || comma == std::string_view::npos || rest[comma] != ',') continue;
    rest.remove_prefix(comma + 1);
    if (const auto range = in_order(first, take_quantity(rest))) return range;
  }
  return in_order(member_quantity(text, "\"from\""), member_quantity(text, "\"to\""));
}

NodeFailure failure_of(const RpcFault& fault) {
  NodeFailure failure{trouble_of(fault),
                      message("the node answered with error ", fault.code, ": ", fault.text)};
  failure.hint = range_hint(fault.text);
  if (!failure.hint) failure.hint = range_hint(fault.data);
  if (failure.trouble == NodeTrouble::kBusy && failure.hint)
    failure.trouble = NodeTrouble::kTooLarge;
  return failure;
}

NodeFailure failure_of_status(unsigned status) {
  if (status == 429) return {NodeTrouble::kBusy, "the node answered with HTTP status 429"};
  if (status == 413)
    return {NodeTrouble::kTooLarge, "the node answered with HTTP status 413: a request too large"};
  const std::string why = message("the node answered with HTTP status ", status);
  if (status >= 300 && status < 400)
    return {NodeTrouble::kRefused,
            why + "; redirects are not followed: give the address they name"};
  if (status == 401 || status == 403)
    return {NodeTrouble::kRefused,
            why + ": it refuses access; check the key, --header or --jwt-secret"};
  if (status == 404 || status == 405)
    return {NodeTrouble::kRefused, why + ": JSON-RPC is not served at this path"};
  const bool passing = status == 408 || status == 425 || status >= 500;
  return {passing ? NodeTrouble::kPassing : NodeTrouble::kRefused, why};
}

}  // namespace bloomery::ethlog
