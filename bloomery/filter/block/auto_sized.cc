#include "bloomery/filter/block/auto_sized.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "bloomery/base/message.h"

namespace bloomery {
namespace {

// Of the memory: beside a filter of two thirds there is room to fold it into half of it.
constexpr std::uint64_t kKeptShare = 16;

BlockFilter with_goal(BlockFilter filter, double rate) {
  Provenance provenance = filter.provenance();
  const std::uint64_t keys = max_keys(filter.block_shape(), rate);
  provenance.goal = Goal{std::max<std::uint64_t>(1, keys), rate};
  filter.set_provenance(provenance);
  return filter;
}

// One line per key, or several where that saves memory and the number of probes is free.
Result<BlockShape> shape_for(Goal goal, std::optional<std::uint32_t> probes) {
  const double rate = goal.false_positive_rate;
  if (!probes && !block_layout_suits(rate) && lines_layout_suits(rate))
    return lines_shape_for(goal);
  return block_shape_for(goal, false, probes.value_or(0));
}

}  // namespace

Result<AutoSizedBlock> AutoSizedBlock::create(const KeyHash& hash, double rate,
                                              std::optional<std::uint32_t> probes,
                                              std::uint64_t memory_bytes) {
  constexpr std::uint64_t kMany =
      1'000'000;  // so many that the best probes depend on the rate only
  const auto usual = shape_for({kMany, rate}, probes);
  if (!usual) return usual.error();
  const std::uint64_t room = memory_bytes / 3 * 2 / block::kBlockBytes;
  if (room == 0)
    return Error{ErrorCode::kTooLarge,
                 message(memory_bytes, " bytes of memory are too few for a block")};
  const BlockShape largest{std::min(std::bit_floor(room), std::bit_floor(kMaxBlocks)),
                           usual->probes};
  const std::uint64_t kept = std::min(memory_bytes / kKeptShare, kMostKeptBytes) / sizeof(Hash128);
  return AutoSizedBlock{hash, rate, probes, largest, static_cast<std::size_t>(kept)};
}

void AutoSizedBlock::add(std::span<const ByteView> keys) {
  std::size_t i = 0;
  for (; i < keys.size() && !filter_; ++i) keep(keys[i]);
  if (i < keys.size()) filter_->insert_batch(keys.subspan(i));
}

void AutoSizedBlock::keep(ByteView key) {
  kept_.push_back(hash_.digest(key));
  if (kept_.size() <= most_kept_) return;
  remove_duplicates();
  if (kept_.size() > most_kept_ / 2) stop_keeping();
}

void AutoSizedBlock::remove_duplicates() {
  const auto both = [](const Hash128& hash) { return std::tie(hash.low, hash.high); };
  std::ranges::sort(kept_, {}, both);
  kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());
}

void AutoSizedBlock::stop_keeping() {
  filter_.emplace(largest_, hash_);
  filter_->insert_batch(std::span<const Hash128>{kept_});
  kept_ = {};
}

Result<BlockFilter> AutoSizedBlock::finish() {
  if (!filter_) return exactly_sized();
  return with_goal(folded(), rate_);
}

Result<BlockFilter> AutoSizedBlock::exactly_sized() {
  remove_duplicates();
  const Goal goal{std::max<std::uint64_t>(1, kept_.size()), rate_};
  const auto shape = shape_for(goal, probes_);
  if (!shape) return shape.error();
  BlockFilter filter{*shape, hash_};
  filter.insert_batch(std::span<const Hash128>{kept_});
  filter.set_provenance({.goal = goal, .keys_inserted = kept_.size()});
  return filter;
}

// The sizing formula guesses the factor; the bits of the fold decide.
BlockFilter AutoSizedBlock::folded() {
  const double keys = filter_->health().estimated_keys;
  const auto keeps_rate = [&](const BlockFilter& fold) {
    return fold.health().error_rate <= rate_;
  };
  std::uint64_t factor = 1;
  while (factor < largest_.blocks &&
         expected_rate(BlockShape{largest_.blocks / factor / 2, largest_.probes}, keys) <= rate_)
    factor *= 2;
  for (; factor > 1; factor /= 2) {
    auto fold = filter_->fold(factor);
    if (!fold || !keeps_rate(*fold)) continue;
    // The guess may have been too careful.
    for (auto half = fold->fold(2); half && keeps_rate(*half); half = fold->fold(2))
      fold = std::move(half);
    return std::move(*fold);
  }
  return std::move(*filter_);
}

}  // namespace bloomery
