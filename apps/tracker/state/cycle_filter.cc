#include "apps/tracker/state/cycle_filter.h"

#include <algorithm>
#include <cmath>

#include "apps/tracker/state/paths.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

// Each layer is this many times as likely to err as the one before; the sum over any number of them
// stays below the goal. Nearer to 1 than a scalable filter's usual half: with ten layers the last,
// which holds half of all keys, is at 1/30 of the goal and not at 1/1000.
constexpr double kTightening = 0.8;

Goal layer_goal(const CycleGoal& goal, std::size_t index) {
  const double rate = goal.rate * (1 - kTightening) *
                      std::pow(kTightening, static_cast<double>(std::min<std::size_t>(index, 64)));
  const std::size_t doublings = std::min<std::size_t>(index, 39);
  return {goal.first_keys << doublings, std::max(rate, kMinBlockRate)};
}

std::uint64_t room_in(const BlockFilter& layer) {
  const Provenance provenance = layer.provenance();
  const std::uint64_t used = provenance.keys_inserted.value_or(UINT64_MAX);
  const std::uint64_t wanted = provenance.goal ? provenance.goal->keys : 0;
  return used >= wanted ? 0 : wanted - used;
}

bool would_still_fit(const BlockFilter& into, const BlockFilter& other) {
  return into.block_shape() == other.block_shape() && into.hash() == other.hash() &&
         other.provenance().keys_inserted && *other.provenance().keys_inserted <= room_in(into);
}

}  // namespace

Result<CycleGoal> checked(CycleGoal goal) {
  if (!(goal.rate >= kLowestRate && goal.rate <= kHighestRate))
    return Error{ErrorCode::kInvalidArgument,
                 message("the rate of a cycle is from ", kLowestRate, " to ", kHighestRate,
                         ", and not ", goal.rate)};
  if (goal.first_keys < kFewestFirstKeys || goal.first_keys > kMostFirstKeys)
    return Error{ErrorCode::kInvalidArgument,
                 message("the first layer of a cycle is for ", kFewestFirstKeys, " to ",
                         kMostFirstKeys, " keys, and not for ", goal.first_keys)};
  return goal;
}

CycleFilter::CycleFilter(CycleGoal goal) : goal_{goal} { assert(checked(goal)); }

CycleFilter::CycleFilter(CycleGoal goal, std::vector<BlockFilter> layers,
                         std::vector<std::string> below, std::string reason)
    : goal_{goal},
      layers_{std::move(layers)},
      reason_{std::move(reason)},
      below_{std::move(below)} {
  assert(checked(goal) && layers_.size() <= kMaxCycleLayers);
}

CycleFilter CycleFilter::clone() const {
  CycleFilter copy{goal_};
  for (const BlockFilter& layer : layers_) copy.layers_.push_back(layer.clone());
  copy.reason_ = reason_;
  copy.below_ = below_;
  return copy;
}

bool CycleFilter::grow() {
  const Goal goal = layer_goal(goal_, layers_.size());
  const auto shape = block_shape_for(goal);
  if (!shape || layers_.size() >= kMaxCycleLayers ||
      size_bytes() + shape->bytes() > kMaxCycleBytes) {
    flag_everything(message("more than ", keys(), " keys do not fit into the memory of a cycle"));
    return false;
  }
  BlockFilter layer{*shape};
  layer.set_provenance({.goal = goal});
  layers_.push_back(std::move(layer));
  return true;
}

bool CycleFilter::insert(Hash128 key) {
  if (everything() || may_contain(key)) return false;
  if ((layers_.empty() || room_in(layers_.back()) == 0) && !grow()) return false;
  return layers_.back().insert(key);
}

void CycleFilter::insert_batch(std::span<const Hash128> keys) {
  constexpr std::size_t kGroup = 1024;  // keys in flight: bounds the memory of a batch
  for (; !keys.empty(); keys = keys.subspan(std::min(kGroup, keys.size())))
    insert_group(keys.first(std::min(kGroup, keys.size())));
}

// A full layer is queried first: what it holds takes no space in the next.
void CycleFilter::insert_group(std::span<const Hash128> keys) {
  std::vector<Hash128> pending{keys.begin(), keys.end()};
  std::vector<std::uint8_t> answers(keys.size());
  const auto drop_known = [&](const BlockFilter& layer) {
    layer.may_contain_batch(std::span<const Hash128>{pending}, answers);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < pending.size(); ++i)
      if (answers[i] == 0) pending[kept++] = pending[i];
    pending.resize(kept);
  };
  for (std::size_t i = 0; i + 1 < layers_.size() && !pending.empty(); ++i) drop_known(layers_[i]);
  while (!pending.empty() && !everything()) {
    if (layers_.empty() || room_in(layers_.back()) == 0) {
      if (!layers_.empty()) drop_known(layers_.back());
      if (pending.empty() || !grow()) return;
    }
    const auto take =
        static_cast<std::size_t>(std::min<std::uint64_t>(room_in(layers_.back()), pending.size()));
    layers_.back().insert_batch(std::span<const Hash128>{pending}.first(take));
    pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(take));
  }
}

bool CycleFilter::may_contain(Hash128 key) const {
  return std::any_of(layers_.rbegin(), layers_.rend(),
                     [&](const BlockFilter& layer) { return layer.may_contain(key); });
}

void CycleFilter::flag_everything(std::string_view reason) {
  if (everything()) return;
  reason_ = reason.empty() ? "no reason was given" : reason.substr(0, kLongestReason);
  layers_.clear();
  below_.clear();
}

void CycleFilter::flag_below(std::string_view folder) {
  if (everything()) return;
  if (folder.empty()) return flag_everything("the whole tree may have changed");
  for (std::string_view at = folder; !at.empty(); at = parent_of(at)) insert(path_digest(at));
  insert(path_digest(""));
  const auto covers = [](std::string_view outer) {
    return [outer](const std::string& inner) { return lies_in(inner, outer); };
  };
  if (std::ranges::any_of(below_, [&](const auto& outer) { return lies_in(folder, outer); }))
    return;
  std::erase_if(below_, covers(folder));
  if (below_.size() >= kMaxBelow)
    return flag_everything(message("more than ", kMaxBelow, " subtrees may have changed"));
  below_.emplace_back(folder);
}

bool CycleFilter::may_have_changed(std::string_view clean) const {
  return may_have_changed(clean, path_digest(clean));
}

bool CycleFilter::may_have_changed(std::string_view clean, Hash128 digest) const {
  return everything() || may_contain(digest) ||
         std::ranges::any_of(below_, [&](const auto& folder) { return lies_in(clean, folder); });
}

void CycleFilter::merge(const CycleFilter& other) {
  if (everything()) return;
  if (other.everything()) return flag_everything(other.reason());
  for (const BlockFilter& layer : other.layers_) {
    const auto same = std::ranges::find_if(
        layers_, [&](const BlockFilter& own) { return would_still_fit(own, layer); });
    if (same != layers_.end() && same->merge(layer)) continue;
    if (layers_.size() >= kMaxCycleLayers)
      return flag_everything(message("more than ", kMaxCycleLayers, " filters were merged"));
    if (size_bytes() + layer.size_bytes() > kMaxCycleBytes)
      return flag_everything("the merged filters do not fit into the memory of a cycle");
    layers_.push_back(layer.clone());
  }
  for (const std::string& folder : other.below_) flag_below(folder);
}

bool CycleFilter::empty() const { return !everything() && below_.empty() && keys() == 0; }

std::uint64_t CycleFilter::keys() const {
  std::uint64_t sum = 0;
  for (const BlockFilter& layer : layers_) sum += layer.provenance().keys_inserted.value_or(0);
  return sum;
}

std::size_t CycleFilter::size_bytes() const {
  std::size_t sum = 0;
  for (const BlockFilter& layer : layers_) sum += layer.size_bytes();
  return sum;
}

Health CycleFilter::health() const {
  if (everything()) return {1, 0, 1, Verdict::kSaturated};
  double ones = 0;
  double bits = 0;
  double estimate = 0;
  double log_all_right = 0;  // a product of numbers next to 1 would lose the small rates
  for (const BlockFilter& layer : layers_) {
    const Health health = layer.health();
    ones += health.fill * static_cast<double>(layer.size_bits());
    bits += static_cast<double>(layer.size_bits());
    estimate += health.estimated_keys;
    log_all_right += std::log1p(-health.error_rate);
  }
  const double fill = bits > 0 ? ones / bits : 0;
  const double rate = 0 - std::expm1(log_all_right);  // not -0 without a key
  return {fill, estimate, rate,
          judge(fill, rate, Goal{std::max<std::uint64_t>(1, keys()), goal_.rate})};
}

}  // namespace bloomery::tracker
