#include "bloomery/formats/native/native.h"

namespace bloomery {
namespace {

template <class F>
KeyHash hash_of(const F& filter) {
  if constexpr (requires { filter.hash(); }) {
    return filter.hash();
  } else {
    return filter.dialect();
  }
}

// What every kind says alike.
template <class F>
Description describe_native(const Native<F>& native, std::string_view layout) {
  Description description = describe_classic(native.filter, "bloomery");
  description.layout = layout;
  description.has_checksum = !native.was_open;
  const Hasher hasher = hash_of(native.filter).hasher;
  const bool keyed = hasher.profile() == Profile::kSiphash;
  description.notes.push_back(message(
      "the keys are ", funnel_name(native.funnel), ", hashed with ", profile_name(hasher.profile()),
      keyed ? std::string{" (keyed by a secret)"} : message(" (seed ", hasher.seed(), ")")));
  if (native.was_open)
    description.notes.emplace_back(
        "the file was left open for writing: its checksum was not verified and the number of keys "
        "inserted is an estimate");
  return description;
}

Description describe_one(const NativeClassic& native) { return describe_native(native, "classic"); }

template <unsigned kCounterBits>
Description describe_one(const NativeCounting<kCounterBits>& native) {
  Description description = describe_native(native, "counting");
  description.notes.push_back(message(native.filter.stuck_counters(), " of ",
                                      native.filter.size_bits(), " counters of ", kCounterBits,
                                      " bits are stuck at their maximum"));
  return description;
}

Description describe_one(const NativeBlock& native) {
  const std::uint32_t lines = native.filter.block_shape().lines();
  Description description = describe_native(native, lines > 1 ? "lines" : "block");
  description.dialect = native.filter.dialect_name();
  if (lines > 1)
    description.notes.push_back(
        message("each key uses ", lines, " cache lines, with eight probes in each"));
  if (native.filter.block_shape().seeded)
    description.notes.emplace_back(
        "the filter is seeded: each block has the windows that left it emptiest, so it cannot be "
        "folded, and merges only with a filter whose seeds are the same");
  return description;
}

Description describe_one(const NativeScalable& native) {
  Description description = describe_native(native, "scalable");
  description.bits = native.filter.size_bits();
  description.probes = std::nullopt;  // each layer has its own
  for (const auto& layer : native.filter.layers()) {
    LayerDescription row;
    row.name = message("layer ", description.layers.size() + 1);
    row.bits = layer.filter.shape().bits;
    row.probes = layer.filter.shape().probes;
    row.bytes = layer.filter.size_bytes();
    row.keys_inserted = layer.filter.provenance().keys_inserted;
    row.goal = layer.goal;
    row.health = layer.filter.health();
    description.layers.push_back(std::move(row));
  }
  return description;
}

Description describe_one(const NativeFilter& native) {
  return std::visit([](const auto& held) { return describe_one(held); }, native);
}

}  // namespace

template <AnyNative N>
Description describe(const N& native) {
  return describe_one(native);
}

template Description describe(const NativeClassic&);
template Description describe(const NativeBlock&);
template Description describe(const NativeCounting<2>&);
template Description describe(const NativeCounting<4>&);
template Description describe(const NativeCounting<8>&);
template Description describe(const NativeScalable&);
template Description describe(const NativeFilter&);

}  // namespace bloomery
