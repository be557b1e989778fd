#include "bloomery/formats/layered/filter.h"

#include <algorithm>
#include <cmath>

namespace bloomery {

Result<LayeredFilter> LayeredFilter::make(const LayeredPlan& plan, std::int64_t now,
                                          DecodeLimits limits, std::pmr::memory_resource* memory) {
  if (auto valid = plan.check(); !valid) return valid.error();
  auto layer = plan.part ? FilterLayer::make_part(plan, limits.max_bytes, memory)
                         : FilterLayer::make(plan.layout, plan.first_layer(), plan.hash(),
                                             limits.max_bytes, memory);
  if (!layer) return layer.error();
  std::vector<TimeSlice> slices(1);
  slices.front().start = plan.window ? now : 0;
  slices.front().layers.push_back(std::move(*layer));
  LayeredFilter filter{plan, std::move(slices), memory};
  filter.limits_ = limits;
  return filter;
}

LayeredFilter::LayeredFilter(const LayeredPlan& plan, std::vector<TimeSlice> slices,
                             std::pmr::memory_resource* memory)
    : plan_{plan}, slices_{std::move(slices)}, memory_{memory} {}

bool LayeredFilter::may_contain(ByteView key, std::int64_t now) const {
  return std::any_of(slices_.rbegin(), slices_.rend(), [&](const TimeSlice& slice) {
    return live(slice, now) &&
           std::any_of(slice.layers.rbegin(), slice.layers.rend(),
                       [&](const FilterLayer& layer) { return layer.may_contain(key); });
  });
}

std::optional<Part> LayeredFilter::elsewhere(ByteKeys keys) const {
  if (!plan_.part) return std::nullopt;
  const auto& [shape, part, profile, seed] = *plan_.part;
  const Hasher hasher{profile, seed};
  const auto range = blocks_of(part, shape.blocks);
  for (const ByteView key : keys) {
    const std::uint64_t block = block::block_of(hasher(key).low, shape.blocks);
    if (!range.holds(block))
      return Part{part_of_block(block, shape.blocks, part.parts), part.parts};
  }
  return std::nullopt;
}

void LayeredFilter::may_contain_batch(ByteKeys keys, std::int64_t now,
                                      std::span<std::uint8_t> answers) const {
  std::vector<const FilterLayer*> asked;
  for_each_layer(now, [&](const TimeSlice&, const FilterLayer& layer) { asked.push_back(&layer); });
  std::ranges::fill(answers, std::uint8_t{0});
  if (asked.empty()) return;
  asked.back()->may_contain_batch(keys, answers);
  if (asked.size() == 1) return;
  std::vector<std::size_t> out;
  std::vector<ByteView> rest;
  std::vector<std::uint8_t> found(keys.size());
  for (std::size_t layer = asked.size() - 1; layer-- > 0;) {
    out.clear();
    rest.clear();
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (answers[i] == 0) {
        out.push_back(i);
        rest.push_back(keys[i]);
      }
    asked[layer]->may_contain_batch(rest, std::span{found}.first(rest.size()));
    for (std::size_t i = 0; i < out.size(); ++i) answers[out[i]] = found[i];
  }
}

bool LayeredFilter::remove(ByteView key) {
  FilterLayer* layer = home_of(key);
  if (layer == nullptr || !layer->remove(key)) return false;
  // No key goes to an older layer again: one without keys is only memory.
  if (layer->keys_inserted() == 0 && layer != &newest().back())
    newest().erase(newest().begin() + (layer - newest().data()));
  return true;
}

FilterLayer* LayeredFilter::home_of(ByteView key) {
  const auto found = std::ranges::find_if(
      newest(), [&](const FilterLayer& layer) { return layer.may_contain(key); });
  return found == newest().end() ? nullptr : &*found;
}

Result<LayeredFilter> LayeredFilter::emptied() const {
  auto empty = make(plan_, slices_.back().start, {kMaxBits / 8}, memory_);
  if (empty) empty->clock_ahead_ = clock_ahead_;
  return empty;
}

LayeredFilter LayeredFilter::clone() const {
  std::vector<TimeSlice> slices;
  for (const TimeSlice& slice : slices_) {
    slices.push_back({slice.start, {}});
    for (const FilterLayer& layer : slice.layers) slices.back().layers.push_back(layer.clone());
  }
  LayeredFilter copy{plan_, std::move(slices), memory_};
  copy.limits_ = limits_;
  copy.clock_ahead_ = clock_ahead_;
  return copy;
}

bool LayeredFilter::same_bytes(const LayeredFilter& other) const {
  const auto same_layer = [](const FilterLayer& a, const FilterLayer& b) {
    return a.same_bytes(b);
  };
  const auto same_slice = [&](const TimeSlice& a, const TimeSlice& b) {
    return a.start == b.start && std::ranges::equal(a.layers, b.layers, same_layer);
  };
  return plan_ == other.plan_ && std::ranges::equal(slices_, other.slices_, same_slice);
}

bool LayeredFilter::full(DecodeLimits limits) const {
  if (has_room()) return false;
  if (plan_.expansion == 0 || layers() >= kMostLayers) return true;
  const auto goal = next_goal();
  if (!goal) return true;
  const auto bytes = FilterLayer::bytes_for(plan_.layout, *goal, plan_.hash());
  return !bytes || *bytes > limits.max_bytes - std::min(size_bytes(), limits.max_bytes);
}

std::size_t LayeredFilter::layers() const {
  std::size_t layers = 0;
  for (const TimeSlice& slice : slices_) layers += slice.layers.size();
  return layers;
}

std::uint64_t LayeredFilter::size_bytes() const {
  std::uint64_t bytes = 0;
  for_each_layer(
      {}, [&](const TimeSlice&, const FilterLayer& layer) { bytes += layer.bytes().size(); });
  return bytes;
}

Health LayeredFilter::health(std::int64_t now) const {
  double ones = 0;
  double bits = 0;
  double keys = 0;
  double log_all_right = 0;  // a product of numbers next to 1 would lose the small rates
  for_each_layer(now, [&](const TimeSlice&, const FilterLayer& layer) {
    const Health health = layer.health();
    const auto layer_bits = static_cast<double>(layer.shape().bits);
    ones += health.fill * layer_bits;
    bits += layer_bits;
    keys += health.estimated_keys;
    log_all_right += std::log1p(-health.error_rate);
  });
  const double fill = bits > 0 ? ones / bits : 0;
  const double rate = -std::expm1(log_all_right);
  return {fill, keys, rate, judge(fill, rate, plan_.goal)};
}

}  // namespace bloomery
