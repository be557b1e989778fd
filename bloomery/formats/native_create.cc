#include "bloomery/formats/native.h"
#include "bloomery/layout/sizing.h"

namespace bloomery {
namespace {

// The best for a rate of 1 %: what bits alone are taken to be for.
constexpr std::uint32_t kUsualProbes = 7;

struct Plan {
  Shape shape;
  std::optional<Goal> goal;
};

Error wrong(std::string sentence) { return {ErrorCode::kInvalidArgument, std::move(sentence)}; }

Result<BloomeryClassic> wanted_dialect(const CreateOptions& options) {
  const bool whole_numbers = options.funnel == FunnelName::kU64;
  if (options.profile == Profile::kMix && !whole_numbers)
    return wrong("the profile mix hashes 64-bit integers only: it needs the funnel u64");
  if (options.profile != Profile::kSiphash)
    return BloomeryClassic{Hasher{options.profile, options.seed}, whole_numbers};
  if (!options.sip_key) return wrong("the profile siphash is keyed: it needs a secret");
  return BloomeryClassic{Hasher{options.profile, 0, *options.sip_key}, whole_numbers};
}

Result<Plan> plan_for(const SizingRequest& sizing) {
  const bool only_goal = !sizing.bits && !sizing.probes && !sizing.bits_per_key && !sizing.blocks;
  if (sizing.keys && sizing.rate && only_goal) {
    const Goal goal{*sizing.keys, *sizing.rate};
    const auto shape = BloomeryClassic::shape_for(goal);
    if (!shape) return shape.error();
    return Plan{*shape, goal};
  }
  if (sizing.bits && !sizing.keys && !sizing.rate && !sizing.bits_per_key && !sizing.blocks) {
    const auto shape = checked(Shape{*sizing.bits, sizing.probes.value_or(kUsualProbes)});
    if (!shape) return shape.error();
    return Plan{*shape, std::nullopt};
  }
  const auto solved = solve(sizing);
  if (!solved) return solved.error();
  Plan plan{{solved->bits, solved->probes}, std::nullopt};
  // A rate too small for a double is no goal that could ever be missed.
  if (const auto goal = checked(Goal{solved->keys, sizing.rate.value_or(solved->rate)}))
    plan.goal = *goal;
  return plan;
}

Status within(std::uint64_t bytes, DecodeLimits limits) {
  if (bytes <= limits.max_bytes) return ok();
  return Error{ErrorCode::kTooLarge, message("the filter would need ", bytes,
                                             " bytes, and the limit is ", limits.max_bytes)};
}

template <class F>
Result<NativeFilter> create_array(const CreateOptions& options, const BloomeryClassic& dialect,
                                  std::uint64_t (*bytes_for)(std::uint64_t bits)) {
  const auto plan = plan_for(options.sizing);
  if (!plan) return plan.error();
  if (auto fits = within(bytes_for(plan->shape.bits), options.limits); !fits) return fits.error();
  Native<F> native{F{plan->shape, dialect}, options.funnel};
  native.filter.set_provenance({.goal = plan->goal, .keys_inserted = 0});
  return NativeFilter{std::move(native)};
}

template <unsigned kCounterBits>
Result<NativeFilter> create_counting(const CreateOptions& options, const BloomeryClassic& dialect) {
  return create_array<CountingFilter<BloomeryClassic, kCounterBits>>(
      options, dialect, [](std::uint64_t bits) { return Counters<kCounterBits>::bytes_for(bits); });
}

Result<NativeFilter> create_scalable(const CreateOptions& options, const BloomeryClassic& dialect) {
  const SizingRequest& sizing = options.sizing;
  if (!sizing.keys || !sizing.rate || sizing.bits || sizing.probes || sizing.bits_per_key ||
      sizing.blocks)
    return wrong(
        "a scalable filter is sized by the keys of its first layer and the rate of the whole, and "
        "by nothing else");
  const Goal goal{*sizing.keys, *sizing.rate};
  if (auto valid = checked(options.growth); !valid) return valid.error();
  const auto first = ScalableFilter<BloomeryClassic>::layer_goal(goal, options.growth, 0);
  if (!first) return first.error();
  const auto shape = BloomeryClassic::shape_for(*first);
  if (!shape) return shape.error();
  if (auto fits = within(shape->bytes(), options.limits); !fits) return fits.error();
  auto filter = ScalableFilter<BloomeryClassic>::for_goal(goal, options.growth, dialect);
  if (!filter) return filter.error();
  return NativeFilter{NativeScalable{std::move(*filter), options.funnel}};
}

// What every kind says alike.
template <class F>
Description describe_native(const Native<F>& native, std::string_view layout) {
  Description description = describe_classic(native.filter, "bloomery");
  description.layout = layout;
  description.has_checksum = !native.was_open;
  const Hasher& hasher = native.filter.dialect().hasher;
  const bool keyed = hasher.profile() == Profile::kSiphash;
  description.notes.push_back(
      message("keys are poured by the funnel ", funnel_name(native.funnel),
              " and hashed by the profile ", profile_name(hasher.profile()),
              keyed ? std::string{" with a secret"} : message(" with seed ", hasher.seed())));
  if (native.was_open)
    description.notes.emplace_back(
        "the file was left open for writing: its checksum was not verified and the number of keys "
        "inserted is an estimate");
  return description;
}

template <unsigned kCounterBits>
Description describe_counting(const NativeCounting<kCounterBits>& native) {
  Description description = describe_native(native, "counting");
  description.notes.push_back(message(native.filter.stuck_counters(), " of ",
                                      native.filter.size_bits(), " counters of ", kCounterBits,
                                      " bits are stuck at their maximum"));
  return description;
}

}  // namespace

Result<NativeFilter> create_native(const CreateOptions& options) {
  const auto dialect = wanted_dialect(options);
  if (!dialect) return dialect.error();
  if (options.layout == Layout::kScalable) return create_scalable(options, *dialect);
  if (options.layout == Layout::kClassic)
    return create_array<ClassicFilter<BloomeryClassic>>(options, *dialect, [](std::uint64_t bits) {
      return Shape{bits, 1}.bytes();
    });
  if (options.counter_bits == 2) return create_counting<2>(options, *dialect);
  if (options.counter_bits == 4) return create_counting<4>(options, *dialect);
  if (options.counter_bits == 8) return create_counting<8>(options, *dialect);
  return wrong(
      message("a counter has 2, 4 or 8 bits, and ", options.counter_bits, " were asked for"));
}

Description describe(const NativeClassic& native) { return describe_native(native, "classic"); }
Description describe(const NativeCounting<2>& native) { return describe_counting(native); }
Description describe(const NativeCounting<4>& native) { return describe_counting(native); }
Description describe(const NativeCounting<8>& native) { return describe_counting(native); }

Description describe(const NativeScalable& native) {
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

}  // namespace bloomery
