#include "apps/ethlog/search/query_range.h"

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

Error refused_range(std::string_view text) {
  return {ErrorCode::kInvalidArgument, std::string{text}};
}

Result<std::uint64_t> number_of_bound(const ChainReader& reader, const BlockBound& bound,
                                      std::uint64_t head) {
  switch (bound.tag) {
    case BlockTag::kNumber:
      return bound.number;
    case BlockTag::kLatest:
      return head;
    case BlockTag::kPending:
      return refused_range("pending logs are not supported");
    case BlockTag::kEarliest: {
      const auto lowest = reader.lowest();
      if (!lowest) return lowest.error();
      return lowest->value_or(0);
    }
    case BlockTag::kSafe:
    case BlockTag::kFinalized:
      break;
  }
  const auto finality = reader.finality();
  if (!finality) return finality.error();
  const bool safe = bound.tag == BlockTag::kSafe;
  const auto& id = safe ? finality->safe : finality->finalized;
  if (!id) return refused_range(safe ? "safe header not found" : "finalized header not found");
  return id->number;
}

}  // namespace

Result<std::optional<BlockRange>> resolve_range(const ChainReader& reader, const LogQuery& query,
                                                BeyondHead beyond_head) {
  const auto head = reader.head();
  if (!head) return head.error();
  const BlockBound from = query.from.value_or(BlockBound{});
  const BlockBound to = query.to.value_or(BlockBound{});
  const auto first = number_of_bound(reader, from, head->value_or(0));
  if (!first) return first.error();
  const auto last = number_of_bound(reader, to, head->value_or(0));
  if (!last) return last.error();
  if (*first > *last) return refused_range("invalid block range params");
  if (*head && *last <= **head) return std::optional{BlockRange{*first, *last}};
  if (*head && beyond_head == BeyondHead::kError)
    return refused_range("block range extends beyond current head block");
  if (!*head || *first > **head) return std::optional<BlockRange>{};
  return std::optional{BlockRange{*first, **head}};
}

Status check_none_lost(const ChainReader& reader, const LogQuery& query,
                       const std::optional<BlockRange>& resolved) {
  const std::vector<BlockRange> lost = reader.lost();
  if (lost.empty()) return ok();
  const BlockBound to = query.to.value_or(BlockBound{});
  const auto head = reader.head();
  if (!head) return head.error();
  const bool to_the_end = to.tag != BlockTag::kNumber || !*head || to.number >= **head;
  std::vector<BlockRange> wanted;
  for (const BlockRange& range : lost)
    if (!resolved || (range.last >= resolved->first && (to_the_end || range.first <= to.number)))
      wanted.push_back(range);
  if (wanted.empty()) return ok();
  return Error{ErrorCode::kMalformed,
               message("header not found: the chain lost ", text_of_ranges(wanted),
                       ", which had been imported; import again what is missing")};
}

}  // namespace bloomery::ethlog
