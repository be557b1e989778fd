// bloomery_getLogsPage: a search of any size, page by page.
#include "apps/ethlog/serve/rpc_methods.h"
#include "apps/ethlog/serve/rpc_page_cursor.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using Outcome = std::optional<RpcError>;

constexpr int kMostPageTries = 3;  // when the chain is reorganised meanwhile
constexpr std::uint64_t kMostLogsOfAPage = 10'000;

// What was delivered is up to the anchor: where that is no longer canonical, some of it is not of
// this chain.
Outcome check_anchor(const ChainReader& reader, const PageCursor& cursor) {
  if (!cursor.anchor) return std::nullopt;
  const auto hash = reader.canonical_hash(cursor.anchor->number);
  if (!hash) return failed(hash.error().message);
  if (*hash == cursor.anchor->hash) return std::nullopt;
  return failed(message("the chain was reorganised since the page before: block ",
                        to_quantity(cursor.anchor->number), " is no longer ",
                        cursor.anchor->hash.hex(), "; begin again below it, without a cursor"));
}

Result<std::optional<BlockId>> anchor_of(const ChainReader& reader, const LogPosition& next) {
  if (next.block == 0 && next.log == 0) return std::optional<BlockId>{};
  const std::uint64_t number = next.log > 0 ? next.block : next.block - 1;
  const auto hash = reader.canonical_hash(number);
  if (!hash) return hash.error();
  return *hash ? std::optional{BlockId{number, **hash}} : std::optional<BlockId>{};
}

// The rest of the range, as far as the chain still has it. False: nothing of it is left.
bool set_range(LogQuery& query, const PageCursor& cursor, std::uint64_t head) {
  const std::uint64_t last = std::min(cursor.last, head);
  query.from = BlockBound{BlockTag::kNumber, cursor.block};
  query.to = BlockBound{BlockTag::kNumber, last};
  return cursor.block <= last;
}

Outcome append_page(RpcService& service, LogQuery query, const std::optional<PageCursor>& cursor,
                    std::uint64_t limit, const RpcCaller& caller, std::string& out) {
  const ChainReader& reader = service.chain.reader();
  const std::uint64_t number = number_of_query(query, service.chain.chain_id());
  LogPage page{.limit = limit};
  out += "{\"logs\":";
  bool is_left = true;
  if (cursor) {
    if (auto error = check_anchor(reader, *cursor)) return error;
    const auto head = reader.head();
    if (!head) return failed(head.error().message);
    is_left = set_range(query, *cursor, head->value_or(0));
    page.first = {cursor->block, cursor->log};
    page.last = query.to->number;
  }
  if (is_left) {
    if (auto error = append_search(service, query, caller, out, &page)) return error;
  } else {
    out += "[]";
  }
  out += ",\"cursor\":";
  if (page.next) {
    const auto anchor = anchor_of(reader, *page.next);
    if (!anchor) return failed(anchor.error().message);
    out += "\"" +
           encode_cursor({.block = page.next->block,
                          .log = page.next->log,
                          .last = cursor ? cursor->last : page.last.value_or(0),
                          .anchor = *anchor,
                          .query = number}) +
           "\"";
  } else {
    out += "null";
  }
  out += ",\"toBlock\":";
  out += page.last ? "\"" + to_quantity(*page.last) + "\"}" : "null}";
  return std::nullopt;
}

}  // namespace

Outcome get_logs_page(RpcService& service, RpcArguments& arguments, const RpcCaller& caller,
                      std::string& out) {
  const LogQuery query = arguments.criteria();
  const auto text = arguments.optional_text("string");
  const auto wanted = arguments.optional_quantity();
  if (const auto& error = arguments.finish()) return error;
  if (query.block_hash)
    return invalid_params("pages are of a range of blocks; one block's logs: eth_getLogs");
  const std::uint64_t results = service.limits.search.results;
  const std::uint64_t most = results > 0 ? results : kMostLogsOfAPage;
  const std::uint64_t limit = wanted.value_or(most);
  if (limit == 0 || limit > most)
    return invalid_params(message("a page has 1 to ", most, " logs, not ", limit));
  std::optional<PageCursor> cursor;
  if (text) {
    const auto decoded = decode_cursor(*text);
    if (!decoded) return invalid_params(decoded.error().message);
    if (decoded->query != number_of_query(query, service.chain.chain_id()))
      return invalid_params(
          "invalid cursor: it belongs to another filter or chain; send it with "
          "the filter of the page before");
    cursor = *decoded;
  }
  const std::size_t start = out.size();
  for (int tries = 1;; ++tries) {
    const std::uint64_t before = service.chain.reorganisations();
    auto error = append_page(service, query, cursor, limit, caller, out);
    if (service.chain.reorganisations() == before) return error;
    out.resize(start);
    if (tries == kMostPageTries)
      return failed("the chain was reorganised during the search: ask again");
  }
}

}  // namespace bloomery::ethlog
