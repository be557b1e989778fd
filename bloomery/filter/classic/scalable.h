// A filter for an unknown number of keys (Almeida et al. 2007): a stack of classic filters, each
// larger and stricter than the one before, so that the summed rate stays under the goal.
#pragma once
#include <vector>

#include "bloomery/filter/classic/classic.h"
#include "bloomery/filter/growth.h"

namespace bloomery {

// One layer and what it was made for; it is full once its keys are in.
template <Dialect D>
struct Layer {
  ClassicFilter<D> filter;
  Goal goal;

  bool full() const { return filter.provenance().keys_inserted.value_or(0) >= goal.keys; }
  std::uint64_t room() const {
    return full() ? 0 : goal.keys - filter.provenance().keys_inserted.value_or(0);
  }
  friend bool operator==(const Layer& a, const Layer& b) {
    return a.goal == b.goal && a.filter == b.filter;
  }
};

// Many readers or one writer, as std::vector. A layer gets its memory when the first key needs it.
template <Dialect D>
class ScalableFilter {
 public:
  ScalableFilter(ScalableFilter&&) noexcept = default;  // copies are asked for by name: clone()
  ScalableFilter& operator=(ScalableFilter&&) noexcept = default;
  using DialectType = D;

  // The goal's keys are those of the first layer, its rate is that of the whole stack.
  static Result<ScalableFilter> for_goal(Goal goal, Growth growth = {}, D dialect = {},
                                         std::pmr::memory_resource* memory = nullptr);
  // For decoders. Precondition: checked(goal), checked(growth), at most max_layers layers of the
  // same dialect that count their keys.
  ScalableFilter(Goal goal, Growth growth, std::vector<Layer<D>> layers,
                 std::pmr::memory_resource* memory = nullptr)
      : goal_{goal}, growth_{growth}, memory_{memory}, layers_{std::move(layers)} {
    // Without a layer it is one that has no bits, and answers "maybe" to every key.
    if (layers_.empty()) layers_.push_back({ClassicFilter<D>{Shape{0, 0}}, goal});
  }

  // What layer `index` is made for: p*(1-t) for the first, then t times the rate and `factor` times
  // the keys of the layer before. kTooLarge if those keys are beyond all counting.
  static Result<Goal> layer_goal(Goal goal, const Growth& growth, std::size_t index);

  // True if new. kTooLarge once max_layers are full; a key that is in already is no error even
  // then.
  Result<bool> insert(ByteView key);
  // As insert(), but where no layer can be added the last one takes the key beyond its goal. The
  // key is never lost; the rate then exceeds the goal, and health() reports it.
  bool insert_or_overfill(ByteView key);
  bool may_contain(ByteView key) const {  // the newest layer is the largest: it knows most keys
    return std::any_of(layers_.rbegin(), layers_.rend(),
                       [&](const Layer<D>& layer) { return layer.filter.may_contain(key); });
  }
  // Same layers and answers as one key at a time; an error leaves in the keys before it.
  // Precondition of all three: one answer for each key.
  Result<std::size_t> insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new);
  Result<std::size_t> insert_batch(std::span<const ByteView> keys) {
    std::vector<std::uint8_t> is_new(keys.size());
    return insert_batch(keys, is_new);
  }
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const;

  // Layer by layer: kInvalidArgument unless both have the same layers of the same shapes.
  Status merge(const ScalableFilter& other);
  void reset() {  // back to the first layer, empty
    layers_.erase(layers_.begin() + 1, layers_.end());
    layers_.front().filter.reset();
  }
  ScalableFilter clone() const {
    std::vector<Layer<D>> layers;
    for (const Layer<D>& layer : layers_) layers.push_back({layer.filter.clone(), layer.goal});
    return {goal_, growth_, std::move(layers), memory_};
  }
  friend bool operator==(const ScalableFilter& a, const ScalableFilter& b) {
    return a.goal_ == b.goal_ && a.growth_ == b.growth_ && a.layers_ == b.layers_;
  }

  std::span<const Layer<D>> layers() const { return layers_; }
  Shape shape() const { return layers_.front().filter.shape(); }  // of the first layer
  const Growth& growth() const { return growth_; }
  const D& dialect() const { return layers_.front().filter.dialect(); }
  std::uint64_t size_bits() const;
  std::size_t size_bytes() const;
  Provenance provenance() const;
  // The rate is the chance that any layer has a false positive; the fill is over all bits.
  Health health() const;

 private:
  Status grow();
  // Of `keys`, those that no full layer holds, as indices.
  void drop_known(const ClassicFilter<D>& layer, std::span<const ByteView> keys,
                  std::vector<std::size_t>& pending) const;
  Result<std::size_t> insert_group(std::span<const ByteView> keys, std::span<std::uint8_t> is_new);

  static constexpr std::size_t kGroup = 1024;  // keys in flight: bounds the memory of a batch

  Goal goal_;
  Growth growth_;
  std::pmr::memory_resource* memory_;
  std::vector<Layer<D>> layers_;
};

}  // namespace bloomery

#include "bloomery/filter/classic/scalable_impl.h"  // IWYU pragma: export
