#include "apps/ethlog/node/node_sync.h"

#include <algorithm>

#include "apps/ethlog/store/chain_census.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kMostChanges = 30;  // of the chain in a row, none of which got it further

NodeFailure of_store(const Error& error) {
  return {NodeTrouble::kStore, error.message, error.code};
}

// Canonical numbers in the range that the store does not have.
Result<std::vector<BlockRange>> missing_in(const SyncTarget& target, BlockRange wanted) {
  std::vector<BlockRange> missing;
  const auto lowest = target.reader.lowest();
  if (!lowest) return lowest.error();
  const auto head = target.reader.head();
  if (!head) return head.error();
  const auto add = [&](std::uint64_t first, std::uint64_t past) {
    first = std::max(first, wanted.first);
    past = std::min(past, wanted.last + 1);
    if (first < past) missing.push_back({first, past - 1});
  };
  if (!*lowest || !*head) {
    add(wanted.first, wanted.last + 1);
    return missing;
  }
  add(0, **lowest);
  if (target.gaps() > 0) {
    const auto census = count_blocks(target.reader);
    if (!census) return census.error();
    for (const BlockRange& gap : census->gaps) add(gap.first, gap.last + 1);
  }
  add(**head + 1, wanted.last + 1);
  return merged_ranges(std::move(missing));
}

std::uint64_t blocks_in(const std::vector<BlockRange>& ranges) {
  std::uint64_t blocks = 0;
  for (const BlockRange& range : ranges) blocks += range.last - range.first + 1;
  return blocks;
}

}  // namespace

NodeResult<bool> NodeSync::is_common(const SyncTarget& target, std::uint64_t number,
                                     const std::stop_token& stop) {
  const auto stored = target.reader.canonical_hash(number);
  if (!stored) return of_store(stored.error());
  const auto block = fetcher_.block_id(number, stop);
  if (!block) return block.failure();
  return *stored && *block && **stored == (**block).id.hash;
}

// In steps that double, then by halves: two chains that are equal at one block are so below it.
NodeResult<std::optional<std::uint64_t>> NodeSync::last_common(const SyncTarget& target,
                                                               std::uint64_t lowest,
                                                               std::uint64_t foreign,
                                                               const std::stop_token& stop) {
  std::optional<std::uint64_t> common;
  // Looks at the first stored block from `at` on, and moves one of the two bounds.
  const auto look_at = [&](std::uint64_t at) -> NodeStatus {
    const auto stored = target.reader.next_block(at);  // there may be a gap
    if (!stored) return of_store(stored.error());
    if (!*stored || **stored >= foreign) {
      foreign = at;
      return NodeStatus{std::monostate{}};
    }
    const auto same = is_common(target, **stored, stop);
    if (!same) return same.failure();
    if (*same)
      common = **stored;
    else
      foreign = **stored;
    return NodeStatus{std::monostate{}};
  };
  for (std::uint64_t step = 1; !common && foreign > lowest; step *= 2)
    if (const auto looked = look_at(foreign - lowest > step ? foreign - step : lowest); !looked)
      return looked.failure();
  while (common && foreign - *common > 1)
    if (const auto looked = look_at(*common + (foreign - *common) / 2); !looked)
      return looked.failure();
  return common;
}

// From where on the stored chain is not the node's; nothing: all of it is, as far as the node goes.
NodeResult<std::optional<std::uint64_t>> NodeSync::first_foreign(const SyncTarget& target,
                                                                 const NodeHead& head,
                                                                 const std::stop_token& stop) {
  const auto stored = target.reader.head();
  const auto lowest = target.reader.lowest();
  if (!stored) return of_store(stored.error());
  if (!lowest) return of_store(lowest.error());
  if (!*stored || !*lowest || head.latest.id.number < **lowest)
    return std::optional<std::uint64_t>{};
  std::uint64_t top = std::min(**stored, head.latest.id.number);
  while (top > **lowest) {  // below a node's head that falls into a gap
    const auto hash = target.reader.canonical_hash(top);
    if (!hash) return of_store(hash.error());
    if (*hash) break;
    top -= 1;
  }
  if (top == head.latest.id.number) {
    const auto hash = target.reader.canonical_hash(top);
    if (!hash) return of_store(hash.error());
    if (*hash == head.latest.id.hash) return std::optional<std::uint64_t>{};
  } else {
    const auto same = is_common(target, top, stop);
    if (!same) return same.failure();
    if (*same) return std::optional<std::uint64_t>{};
  }
  const auto common = last_common(target, **lowest, top, stop);
  if (!common) return common.failure();
  const std::uint64_t first = *common ? **common + 1 : **lowest;
  if (first == 0)
    return NodeFailure{
        NodeTrouble::kRefused,
        "its first block is another one than the folder's: it is the node of another "
        "chain; use another folder",
        ErrorCode::kInvalidArgument};
  const auto finality = target.reader.finality();
  if (!finality) return of_store(finality.error());
  if (finality->finalized && first <= finality->finalized->number)
    return NodeFailure{
        NodeTrouble::kRefused,
        message("its chain differs from the folder's from block ", first,
                " on, but the folder's is final up to block ", finality->finalized->number,
                "; the node is on another branch, or the chain was made anew: use another folder"),
        ErrorCode::kInvalidArgument};
  return std::optional{first};
}

NodeResult<NodeSync::Plan> NodeSync::plan(const SyncTarget& target, const SyncRange& range,
                                          const NodeHead& head, const std::stop_token& stop) {
  Plan plan;
  const std::uint64_t to =
      std::min(range.to.value_or(head.latest.id.number), head.latest.id.number);
  const auto foreign = first_foreign(target, head, stop);
  if (!foreign) return foreign.failure();
  if (*foreign && **foreign <= to) {
    plan.missing.push_back({**foreign, to});
    plan.displaces = true;
    return plan;
  }
  const auto lowest = target.reader.lowest();
  if (!lowest) return of_store(lowest.error());
  const std::uint64_t from = range.from.value_or(lowest->value_or(0));
  if (from > to) return plan;
  auto missing = missing_in(target, {from, to});
  if (!missing) return of_store(missing.error());
  plan.missing = std::move(*missing);
  return plan;
}

NodeResult<NodeSync::Step> NodeSync::fill(const SyncTarget& target, BlockRange range,
                                          bool displaces, const std::stop_token& stop) {
  BlockStream stream{fetcher_, range};
  for (;;) {
    auto next = stream.next(stop);
    if (!next) {
      // A branch that was displaced meanwhile: looked at from the start.
      const bool wrong = next.failure().trouble == NodeTrouble::kWrong;
      const auto now = wrong ? fetcher_.head(stop) : NodeResult<NodeHead>{next.failure()};
      if (now && now->latest.id.number < range.last) return Step::kChanged;
      return next.failure();
    }
    if (!*next) return Step::kDone;
    ImportedBlock& block = **next;
    const std::uint64_t number = block.header.number;
    std::optional<Hash> below;
    if (number > 0) {
      const auto hash = target.reader.canonical_hash(number - 1);
      if (!hash) return of_store(hash.error());
      below = *hash;
    }
    if (below && block.header.parent_hash != below) return Step::kChanged;
    if (!displaces && number == range.last) {
      const auto above = target.reader.header(number + 1);
      if (!above) return of_store(above.error());
      if (*above && (**above).parent_hash && (**above).parent_hash != block.header.hash)
        return Step::kChanged;
    }
    const Gaps gaps = below || number == 0 ? Gaps::kRefused : Gaps::kVouched;
    if (const Status added = target.add(std::move(block), gaps); !added)
      return of_store(added.error());
  }
}

// Stored blocks below the node's finalized one are final as well.
NodeStatus NodeSync::note_finality(const SyncTarget& target, const NodeHead& head) const {
  const auto stored = target.reader.head();
  if (!stored) return of_store(stored.error());
  if (!*stored) return std::monostate{};
  Finality finality;
  for (const auto& [said, out] :
       {std::pair{&head.safe, &finality.safe}, std::pair{&head.finalized, &finality.finalized}}) {
    if (!*said) continue;
    const std::uint64_t number = std::min((**said).number, **stored);
    const auto hash = target.reader.canonical_hash(number);
    if (!hash) return of_store(hash.error());
    if (*hash && (number < (**said).number || **hash == (**said).hash))
      *out = BlockId{number, **hash};
  }
  if (const Status noted = target.set_finality(finality); !noted) return of_store(noted.error());
  return std::monostate{};
}

NodeResult<SyncReport> NodeSync::run(const SyncTarget& target, const SyncRange& range,
                                     const std::stop_token& stop, const OnPlan& on_plan) {
  SyncReport report;
  std::size_t changes = 0;
  std::optional<std::uint64_t> reached;
  for (;;) {
    const auto head = fetcher_.head(stop);
    if (!head) return head.failure();
    const auto plan = this->plan(target, range, *head, stop);
    if (!plan) return plan.failure();
    report.reorganisations += plan->displaces ? 1 : 0;
    report.newest = head->latest.id.number;
    if (plan->missing.empty()) {
      const auto stored = target.reader.head();
      if (!stored) return of_store(stored.error());
      if (*stored && **stored > head->latest.id.number) report.behind = head->latest.id.number;
      if (const NodeStatus noted = note_finality(target, *head); !noted) return noted.failure();
      return report;
    }
    if (on_plan) on_plan(blocks_in(plan->missing));
    const auto step = fill(target, plan->missing.back(), plan->displaces, stop);
    if (!step) return step.failure();
    if (*step == Step::kDone) continue;
    const auto now = target.reader.head();
    if (!now) return of_store(now.error());
    const bool further = *now && (!reached || **now > *reached);
    changes = further ? 1 : changes + 1;
    if (further) reached = *now;
    if (changes >= kMostChanges)
      return NodeFailure{NodeTrouble::kPassing,
                         message("its chain changed ", changes,
                                 " times while it was read: nodes behind one address may be on "
                                 "different branches"),
                         ErrorCode::kMalformed};
    const NodeOptions& options = fetcher_.client().options();
    if (!wait_unless_stopped(back_off(std::min<std::size_t>(changes - 1, 3), options.first_wait,
                                      options.longest_wait),
                             stop))
      return stopped_failure();
  }
}

}  // namespace bloomery::ethlog
