#include "apps/ethlog/store/chain_census.h"

#include <algorithm>

#include "apps/ethlog/store/schema.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

// The records of one number lie together: headers of all branches, and the canonical hash.
class Count {
 public:
  explicit Count(ChainCensus& census) : census_{census} {}

  void add(std::string_view key, std::string_view value) {
    const SchemaKey parsed = parse_key(key);
    const bool header = parsed.kind == KeyKind::kHeader;
    if (!header && parsed.kind != KeyKind::kCanonicalHash) return;
    if (parsed.number != number_) finish();
    number_ = parsed.number;
    if (header) headers_.push_back(parsed.hash);
    if (!header) canonical_ = decode_hash(value);
  }

  void block(std::uint64_t number) {
    if (census_.highest && number > *census_.highest + 1) gap({*census_.highest + 1, number - 1});
    if (!census_.lowest) census_.lowest = number;
    census_.highest = number;
    census_.blocks += 1;
  }

  void finish() {
    if (number_ && canonical_ && !canonical_->is_zero()) {
      block(*number_);
      if (std::ranges::find(headers_, *canonical_) == headers_.end()) census_.unverified += 1;
    }
    headers_.clear();
    canonical_.reset();
  }

  void gap(const BlockRange& range) {
    census_.gaps.push_back(range);
    census_.missing += range.last - range.first + 1;
  }

 private:
  ChainCensus& census_;
  std::optional<std::uint64_t> number_;
  std::vector<Hash> headers_;
  std::optional<Hash> canonical_;
};

// Whether the block above a gap had its parent in the store once.
Result<bool> was_linked(const ChainReader& reader, std::uint64_t above) {
  const auto hash = reader.canonical_hash(above);
  if (!hash) return hash.error();
  const auto block = reader.block(above, hash->value_or(Hash{}));
  if (!block) return block.error();
  return *block != nullptr && (*block)->verified.parent_link;
}

}  // namespace

Result<ChainCensus> count_blocks(const ChainReader& reader) {
  ChainCensus census;
  Count count{census};
  const auto head = reader.head();
  if (!head) return head.error();
  const Freezer* freezer = reader.freezer();
  const std::uint64_t frozen = freezer == nullptr ? 0 : freezer->end();
  if (frozen > 0) {
    census.lowest = 0;
    census.highest = frozen - 1;
    census.blocks = frozen;
  }
  // A node may have headers beyond its newest block.
  const std::string past = *head && **head < UINT64_MAX ? "h" + encode_number(**head + 1) : "i";
  const Status scanned = reader.store().scan("h" + encode_number(frozen), past,
                                             [&](std::string_view key, std::string_view value) {
                                               count.add(key, value);
                                               return true;
                                             });
  if (!scanned) return scanned.error();
  count.finish();
  if (*head && (!census.highest || *census.highest < **head))
    count.gap({census.highest ? *census.highest + 1 : **head, **head});
  const bool ours = reader.is_own();
  for (const BlockRange& gap : census.gaps) {
    const bool at_head = *head && gap.last == **head;
    const auto linked = ours && !at_head ? was_linked(reader, gap.last + 1) : Result<bool>{true};
    if (!linked) return linked.error();
    if (*linked) census.lost.push_back(gap);
  }
  if (ours && census.lowest.value_or(0) > 0) {
    const auto linked = was_linked(reader, *census.lowest);
    if (!linked) return linked.error();
    if (*linked) census.lost.insert(census.lost.begin(), {*census.lowest - 1, *census.lowest - 1});
  }
  return census;
}

std::string lost_sentence(std::span<const BlockRange> lost, const std::string& folder) {
  return message(folder, ": the chain lost ", text_of_ranges(lost),
                 ", which had been imported; import again what is missing (bloomery eth import "
                 "--db ",
                 folder, " SOURCE)");
}

}  // namespace bloomery::ethlog
