// The longer members of ScalableFilter. Included by scalable.h.
#pragma once
#include "bloomery/filter/classic/scalable.h"

namespace bloomery {
namespace internal {

// A batch of lookups in a stack of layers: the newest, which is the largest, gets every key, and
// each older one the keys that are still missing. ask(layer, keys, answers) asks one of them.
template <class Ask>
void ask_layers(std::size_t layers, std::span<const ByteView> keys, std::span<std::uint8_t> answers,
                Ask ask) {
  assert(answers.size() == keys.size());
  constexpr std::size_t kGroup = 1024;  // bounds the memory of a batch
  std::array<std::size_t, kGroup> missing;
  std::array<ByteView, kGroup> asked;
  std::array<std::uint8_t, kGroup> found;
  ask(layers - 1, keys, answers);
  for (std::size_t layer = layers - 1; layer-- > 0;)
    for (std::size_t at = 0; at < keys.size(); at += kGroup) {
      std::size_t count = 0;
      for (std::size_t i = at; i < std::min(at + kGroup, keys.size()); ++i)
        if (answers[i] == 0) {
          missing[count] = i;
          asked[count++] = keys[i];
        }
      ask(layer, std::span<const ByteView>{asked}.first(count), std::span{found}.first(count));
      for (std::size_t i = 0; i < count; ++i) answers[missing[i]] = found[i];
    }
}

}  // namespace internal

template <Dialect D>
Result<ScalableFilter<D>> ScalableFilter<D>::for_goal(Goal goal, Growth growth, D dialect,
                                                      std::pmr::memory_resource* memory) {
  if (auto valid = checked(goal); !valid) return valid.error();
  if (auto valid = checked(growth); !valid) return valid.error();
  const auto first = layer_goal(goal, growth, 0);
  if (!first) return first.error();
  auto filter = ClassicFilter<D>::for_goal(*first, dialect, memory);
  if (!filter) return filter.error();
  std::vector<Layer<D>> layers;
  layers.push_back({std::move(*filter), *first});
  return ScalableFilter{goal, growth, std::move(layers), memory};
}

template <Dialect D>
Result<Goal> ScalableFilter<D>::layer_goal(Goal goal, const Growth& growth, std::size_t index) {
  Goal layer{goal.keys, goal.false_positive_rate * (1 - growth.tightening)};
  for (std::size_t i = 0; i < index; ++i) {
    layer.false_positive_rate *= growth.tightening;
    if (layer.keys > UINT64_MAX / growth.factor)
      return Error{ErrorCode::kTooLarge,
                   message("layer ", i + 2, " would be for more than 2^64 keys")};
    layer.keys *= growth.factor;
  }
  return layer;
}

template <Dialect D>
Status ScalableFilter<D>::grow() {
  if (layers_.size() >= growth_.max_layers)
    return Error{ErrorCode::kTooLarge,
                 message("all ", growth_.max_layers, " layers of the scalable filter are full")};
  const auto goal = layer_goal(goal_, growth_, layers_.size());
  if (!goal) return goal.error();
  auto filter = ClassicFilter<D>::for_goal(*goal, dialect(), memory_);
  if (!filter)  // beyond what a filter can be: as full as the last layer allowed
    return Error{ErrorCode::kTooLarge, message("layer ", layers_.size() + 1,
                                               " cannot be made: ", filter.error().message)};
  layers_.push_back({std::move(*filter), *goal});
  return ok();
}

template <Dialect D>
Result<bool> ScalableFilter<D>::insert(ByteView key) {
  if (may_contain(key)) return false;
  if (layers_.back().full())
    if (auto grown = grow(); !grown) return grown.error();
  layers_.back().filter.insert(key);
  return true;
}

template <Dialect D>
bool ScalableFilter<D>::insert_or_overfill(ByteView key) {
  const auto inserted = insert(key);
  return inserted ? *inserted : layers_.back().filter.insert(key);
}

template <Dialect D>
Result<std::size_t> ScalableFilter<D>::insert_batch(std::span<const ByteView> keys,
                                                    std::span<std::uint8_t> is_new) {
  assert(is_new.size() == keys.size());
  std::ranges::fill(is_new, std::uint8_t{0});
  std::size_t added = 0;
  for (std::size_t at = 0; at < keys.size(); at += kGroup) {
    const std::size_t count = std::min(kGroup, keys.size() - at);
    const auto group = insert_group(keys.subspan(at, count), is_new.subspan(at, count));
    if (!group) return group.error();
    added += *group;
  }
  return added;
}

template <Dialect D>
void ScalableFilter<D>::drop_known(const ClassicFilter<D>& layer, std::span<const ByteView> keys,
                                   std::vector<std::size_t>& pending) const {
  std::vector<ByteView> asked;
  asked.reserve(pending.size());
  for (const std::size_t i : pending) asked.push_back(keys[i]);
  std::vector<std::uint8_t> answers(asked.size());
  layer.may_contain_batch(asked, answers);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pending.size(); ++i)
    if (answers[i] == 0) pending[kept++] = pending[i];
  pending.resize(kept);
}

// Older layers do not change, so each is asked once for the whole group. The newest takes as many
// keys as it has room for; when it is full it is an older layer for the rest.
template <Dialect D>
Result<std::size_t> ScalableFilter<D>::insert_group(std::span<const ByteView> keys,
                                                    std::span<std::uint8_t> is_new) {
  std::vector<std::size_t> pending(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) pending[i] = i;
  for (std::size_t layer = layers_.size() - 1; layer-- > 0;)
    drop_known(layers_[layer].filter, keys, pending);
  std::size_t added = 0;
  std::vector<ByteView> fitting;
  fitting.reserve(pending.size());
  while (!pending.empty()) {
    if (layers_.back().full()) {
      drop_known(layers_.back().filter, keys, pending);
      if (pending.empty()) break;
      if (auto grown = grow(); !grown) return grown.error();
    }
    const auto take =
        static_cast<std::size_t>(std::min<std::uint64_t>(layers_.back().room(), pending.size()));
    fitting.clear();
    for (std::size_t i = 0; i < take; ++i) fitting.push_back(keys[pending[i]]);
    std::vector<std::uint8_t> changed(take);
    added += layers_.back().filter.insert_batch(fitting, changed);
    for (std::size_t i = 0; i < take; ++i) is_new[pending[i]] = changed[i];
    pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(take));
  }
  return added;
}

template <Dialect D>
void ScalableFilter<D>::may_contain_batch(std::span<const ByteView> keys,
                                          std::span<std::uint8_t> answers) const {
  internal::ask_layers(
      layers_.size(), keys, answers,
      [this](std::size_t layer, std::span<const ByteView> asked, std::span<std::uint8_t> found) {
        layers_[layer].filter.may_contain_batch(asked, found);
      });
}

template <Dialect D>
Status ScalableFilter<D>::merge(const ScalableFilter& other) {
  const auto same = [](const Layer<D>& a, const Layer<D>& b) {
    return a.filter.shape() == b.filter.shape() && a.filter.dialect() == b.filter.dialect();
  };
  if (!std::ranges::equal(layers_, other.layers_, same))
    return Error{
        ErrorCode::kInvalidArgument,
        message("scalable filters are merged layer by layer, and these differ: ", layers_.size(),
                " layers against ", other.layers_.size(), ", or of other shapes or hashes")};
  for (std::size_t i = 0; i < layers_.size(); ++i)
    if (auto merged = layers_[i].filter.merge(other.layers_[i].filter); !merged) return merged;
  return ok();
}

template <Dialect D>
std::uint64_t ScalableFilter<D>::size_bits() const {
  std::uint64_t bits = 0;
  for (const Layer<D>& layer : layers_) bits += layer.filter.size_bits();
  return bits;
}

template <Dialect D>
std::size_t ScalableFilter<D>::size_bytes() const {
  std::size_t bytes = 0;
  for (const Layer<D>& layer : layers_) bytes += layer.filter.size_bytes();
  return bytes;
}

template <Dialect D>
Provenance ScalableFilter<D>::provenance() const {
  std::uint64_t keys = 0;
  for (const Layer<D>& layer : layers_) {
    const std::uint64_t more = layer.filter.provenance().keys_inserted.value_or(0);
    keys = keys > UINT64_MAX - more ? UINT64_MAX : keys + more;
  }
  return {.goal = goal_, .keys_inserted = keys};
}

template <Dialect D>
Health ScalableFilter<D>::health() const {
  StackHealth stack;
  for (const Layer<D>& layer : layers_) stack.add(layer.filter.health(), layer.filter.size_bits());
  return stack.total(goal_);
}

}  // namespace bloomery
