#include <algorithm>
#include <new>

#include "bloomery/formats/layered/filter.h"

namespace bloomery {
namespace {

// Keys of a batch that no layer is known to hold, in their order.
class Pending {
 public:
  explicit Pending(ByteKeys keys) : keys_{keys}, indices_(keys.size()), flags_(keys.size()) {
    for (std::size_t i = 0; i < keys.size(); ++i) indices_[i] = i;
    asked_.assign(keys.begin(), keys.end());
  }
  std::size_t size() const { return indices_.size(); }
  std::size_t first() const { return indices_.front(); }

  template <class Known>
  void drop_known(const FilterLayer& layer, Known known) {
    layer.may_contain_batch(asked_, std::span{flags_}.first(size()));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (flags_[i] != 0)
        known(indices_[i]);
      else
        indices_[kept++] = indices_[i];
    }
    shorten(0, kept);
  }
  // The first `count` go into the layer: done(index, is_new).
  template <class Done>
  void put(FilterLayer& layer, std::size_t count, Done done) {
    const auto is_new = std::span{flags_}.first(count);
    layer.insert_batch(ByteKeys{asked_}.first(count), is_new);
    for (std::size_t i = 0; i < count; ++i) done(indices_[i], is_new[i] != 0);
    shorten(count, size());
  }

 private:
  void shorten(std::size_t from, std::size_t to) {  // shrinks, so that nothing is allocated
    indices_.erase(indices_.begin() + static_cast<std::ptrdiff_t>(to), indices_.end());
    indices_.erase(indices_.begin(), indices_.begin() + static_cast<std::ptrdiff_t>(from));
    asked_.resize(indices_.size());
    for (std::size_t i = 0; i < indices_.size(); ++i) asked_[i] = keys_[indices_[i]];
  }

  ByteKeys keys_;
  std::vector<std::size_t> indices_;
  std::vector<ByteView> asked_;
  std::vector<std::uint8_t> flags_;
};

}  // namespace

// The largest rate that is free: layers halve it one after the other, and the rate of one that was
// emptied and freed is given again. So the sum stays below the goal's, however often that happens.
Result<Goal> LayeredFilter::next_goal() const {
  const auto& layers = slices_.back().layers;
  Goal goal{layers.back().goal().keys, plan_.first_layer().false_positive_rate};
  if (goal.keys > kMaxBits / plan_.expansion)
    return Error{ErrorCode::kTooLarge, "the next layer would be for more keys than any filter"};
  goal.keys *= plan_.expansion;
  while (std::ranges::any_of(layers, [&](const FilterLayer& layer) {
    return layer.goal().false_positive_rate == goal.false_positive_rate;
  }))
    goal.false_positive_rate /= 2;
  return goal;
}

Result<FilterLayer> LayeredFilter::next_layer() const {
  const auto goal = next_goal();
  if (!goal) return goal.error();
  const std::uint64_t held = size_bytes();
  const std::uint64_t left = held < limits_.max_bytes ? limits_.max_bytes - held : 0;
  return FilterLayer::make(plan_.layout, *goal, plan_.hash(), left, memory_);
}

bool LayeredFilter::grow() noexcept {
  try {
    if (layers() >= kMostLayers) return false;
    auto layer = next_layer();
    if (!layer) return false;
    newest().push_back(std::move(*layer));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

std::vector<LayeredInsert> LayeredFilter::insert(ByteKeys keys, std::int64_t now) {
  std::vector<LayeredInsert> answers(keys.size());
  if (plan_.layout == LayerKind::kCounting)
    insert_counting(keys, answers);
  else
    insert_bits(keys, now, answers);
  return answers;
}

// A key that an older slice holds is known, and goes into the newest all the same: it is to live
// for another window.
void LayeredFilter::insert_bits(ByteKeys keys, std::int64_t now,
                                std::vector<LayeredInsert>& answers) {
  std::vector<std::uint8_t> seen(keys.size());
  // The usual case, and the only one whose speed is measured: nothing to ask, and room for all.
  if (slices_.size() == 1 && newest().size() == 1 && newest().front().room() >= keys.size()) {
    newest().front().insert_batch(keys, seen);
    for (std::size_t i = 0; i < keys.size(); ++i)
      answers[i] = {seen[i] != 0 ? InsertResult::kNew : InsertResult::kKnown, seen[i] != 0};
    return;
  }
  if (slices_.size() > 1) may_contain_batch(keys, now, seen);
  const auto known = [&](std::size_t i) { answers[i] = {InsertResult::kKnown, false}; };
  const auto done = [&](std::size_t i, bool is_new) {
    answers[i] = {is_new && seen[i] == 0 ? InsertResult::kNew : InsertResult::kKnown, is_new};
  };
  Pending pending{keys};
  for (std::size_t i = newest().size() - 1; i-- > 0 && pending.size() > 0;)
    pending.drop_known(newest()[i], known);
  while (pending.size() > 0) {
    if (newest().back().room() == 0) {
      pending.drop_known(newest().back(), known);
      if (pending.size() == 0) return;
      if (plan_.expansion == 0) {
        answers[pending.first()].answer = InsertResult::kFull;
        answers.resize(pending.first() + 1);
        return;
      }
      if (!grow()) return;
    }
    FilterLayer& layer = newest().back();
    pending.put(layer,
                static_cast<std::size_t>(std::min<std::uint64_t>(layer.room(), pending.size())),
                done);
  }
}

bool LayeredFilter::insert_within_room(ByteView key) {
  auto& layers = newest();
  const bool in_older =
      std::any_of(layers.begin(), layers.end() - 1,
                  [&](const FilterLayer& layer) { return layer.may_contain(key); });
  return !in_older && layers.back().insert(key);
}

void LayeredFilter::insert_counting(ByteKeys keys, std::vector<LayeredInsert>& answers) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (FilterLayer* home = home_of(keys[i])) {
      home->insert(keys[i]);
      answers[i] = {InsertResult::kKnown, true};
      continue;
    }
    const bool full = newest().back().room() == 0;
    if (full && plan_.expansion == 0) {
      answers[i].answer = InsertResult::kFull;
      answers.resize(i + 1);
      return;
    }
    if (full && !grow()) continue;
    newest().back().insert(keys[i]);
    answers[i] = {InsertResult::kNew, true};
  }
}

}  // namespace bloomery
