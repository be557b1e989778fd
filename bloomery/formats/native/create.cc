#include <algorithm>

#include "bloomery/base/error.h"
#include "bloomery/formats/native/native.h"
#include "bloomery/layout/block_solve.h"
#include "bloomery/layout/sizing.h"

namespace bloomery {
namespace {

// The best for a rate of 1 %: what bits alone are taken to be for.
constexpr std::uint32_t kUsualProbes = 7;
constexpr std::uint32_t kUsualBlockProbes = 6;
constexpr std::uint32_t kUsualLinesProbes = block::kFewestLines * block::kMostProbes;
constexpr double kUsualRate = 0.01;

Status check_limits(std::uint64_t bytes, DecodeLimits limits) {
  if (bytes <= limits.max_bytes) return ok();
  return Error{ErrorCode::kTooLarge, message("the filter would need ", bytes,
                                             " bytes, and the limit is ", limits.max_bytes)};
}

template <class F>
Result<NativeFilter> create_array(const CreateOptions& options, const KeyHash& hash,
                                  std::uint64_t (*bytes_for)(std::uint64_t bits)) {
  const auto plan = array_plan_for(options.sizing);
  if (!plan) return plan.error();
  if (auto fits = check_limits(bytes_for(plan->shape.bits), options.limits); !fits)
    return fits.error();
  Native<F> native{F{plan->shape, BloomeryClassic{hash}}, options.funnel};
  native.filter.set_provenance({.goal = plan->goal, .keys_inserted = 0});
  return NativeFilter{std::move(native)};
}

template <unsigned kCounterBits>
Result<NativeFilter> create_counting(const CreateOptions& options, const KeyHash& hash) {
  return create_array<CountingFilter<BloomeryClassic, kCounterBits>>(
      options, hash, [](std::uint64_t bits) { return Counters<kCounterBits>::bytes_for(bits); });
}

Result<NativeFilter> create_scalable(const CreateOptions& options, const KeyHash& hash) {
  const SizingRequest& sizing = options.sizing;
  if (!sizing.keys || !sizing.rate || sizing.bits || sizing.probes || sizing.bits_per_key ||
      sizing.blocks)
    return invalid_argument(
        "a scalable filter is sized by the keys of its first layer and the rate of the whole, and "
        "by nothing else");
  const Goal goal{*sizing.keys, *sizing.rate};
  if (auto valid = checked(options.growth); !valid) return valid.error();
  const auto first = ScalableFilter<BloomeryClassic>::layer_goal(goal, options.growth, 0);
  if (!first) return first.error();
  const auto shape = BloomeryClassic::shape_for(*first);
  if (!shape) return shape.error();
  if (auto fits = check_limits(shape->bytes(), options.limits); !fits) return fits.error();
  auto filter =
      ScalableFilter<BloomeryClassic>::for_goal(goal, options.growth, BloomeryClassic{hash});
  if (!filter) return filter.error();
  return NativeFilter{NativeScalable{std::move(*filter), options.funnel}};
}

Result<NativeFilter> create_block(const CreateOptions& options, const KeyHash& hash) {
  const auto plan = block_plan_for(options);
  if (!plan) return plan.error();
  if (auto fits = check_limits(plan->shape.bytes(), options.limits); !fits) return fits.error();
  NativeBlock native{BlockFilter{plan->shape, hash}, options.funnel};
  native.filter.set_provenance({.goal = plan->goal, .keys_inserted = 0});
  return NativeFilter{std::move(native)};
}

// What a filter that grows, or is sized once its keys are known, may come to hold.
constexpr std::uint64_t kManyKeys = 10'000'000'000;

// How many keys the hash must tell apart at which rate; nothing where no rate follows from the
// options.
std::optional<Goal> goal_to_judge_by(const CreateOptions& options) {
  SizingRequest sizing = options.sizing;
  if (sizing.blocks && !sizing.bits)
    sizing.bits = std::min(*sizing.blocks, kMaxBits / block::kBlockBits) * block::kBlockBits;
  sizing.blocks.reset();
  const bool is_open =
      options.layout == Layout::kScalable || (!sizing.keys && !sizing.bits && !sizing.bits_per_key);
  if (is_open && sizing.rate)
    return Goal{std::max(sizing.keys.value_or(1), kManyKeys), *sizing.rate};
  if (sizing.keys && sizing.rate) return Goal{*sizing.keys, *sizing.rate};
  if (!sizing.keys && !sizing.rate && !sizing.bits_per_key) return std::nullopt;
  const auto solved = solve(sizing);
  if (!solved) return std::nullopt;
  return Goal{solved->keys, solved->rate};
}

}  // namespace

Result<KeyHash> key_hash_for(const CreateOptions& options) {
  const bool whole_numbers = options.funnel == FunnelName::kU64;
  if (options.profile == Profile::kMix && !whole_numbers)
    return invalid_argument("the profile mix hashes 64-bit integers only: it needs the funnel u64");
  if (options.profile == Profile::kSiphash) {
    if (!options.sip_key)
      return invalid_argument("the profile siphash is keyed: it needs a secret");
    return KeyHash{Hasher{Profile::kSiphash, 0, *options.sip_key}, whole_numbers};
  }
  const KeyHash hash{Hasher{options.profile.value_or(Profile::kXxh3_64), options.seed},
                     whole_numbers};
  const std::optional<Goal> goal = goal_to_judge_by(options);
  if (!goal) return hash;
  const Status suits = hash.check_goal(*goal);
  if (suits) return hash;
  // A rate that merely follows from the bits was not asked for.
  if (options.profile) return options.sizing.rate ? Result<KeyHash>{suits.error()} : hash;
  return KeyHash{Hasher{Profile::kXxh3, options.seed}, whole_numbers};
}

Layout layout_for(const CreateOptions& options) {
  if (options.layout != Layout::kAuto) return options.layout;
  if (options.seeded || options.sizing.blocks) return Layout::kBlock;
  const std::optional<std::uint32_t> probes = options.sizing.probes;
  const bool block_has_them =
      !probes || (*probes >= block::kFewestProbes && *probes <= block::kMostProbes);
  double rate = options.sizing.rate.value_or(kUsualRate);
  if (!options.sizing.rate)
    if (const auto solved = solve(options.sizing)) rate = solved->rate;
  if (block_has_them && block_layout_suits(rate)) return Layout::kBlock;
  return !probes && lines_layout_suits(rate) ? Layout::kLines : Layout::kClassic;
}

Result<ArrayPlan> array_plan_for(const SizingRequest& sizing) {
  const bool only_goal = !sizing.bits && !sizing.probes && !sizing.bits_per_key && !sizing.blocks;
  if (sizing.keys && sizing.rate && only_goal) {
    const Goal goal{*sizing.keys, *sizing.rate};
    const auto shape = BloomeryClassic::shape_for(goal);
    if (!shape) return shape.error();
    return ArrayPlan{*shape, goal};
  }
  if (sizing.bits && !sizing.keys && !sizing.rate && !sizing.bits_per_key && !sizing.blocks) {
    const auto shape = checked(Shape{*sizing.bits, sizing.probes.value_or(kUsualProbes)});
    if (!shape) return shape.error();
    return ArrayPlan{*shape, std::nullopt};
  }
  const auto solved = solve(sizing);
  if (!solved) return solved.error();
  ArrayPlan plan{{solved->bits, solved->probes}, std::nullopt};
  // A rate too small for a double is no goal that could ever be missed.
  if (const auto goal = checked(Goal{solved->keys, sizing.rate.value_or(solved->rate)}))
    plan.goal = *goal;
  return plan;
}

Result<BlockPlan> block_plan_for(const CreateOptions& options) {
  const SizingRequest& sizing = options.sizing;
  const bool only_bits = !sizing.keys && !sizing.rate && !sizing.bits_per_key;
  if (only_bits && (sizing.bits || sizing.blocks)) {
    const auto blocks = blocks_asked_for(sizing);
    if (!blocks) return blocks.error();
    const bool is_lines = options.layout == Layout::kLines;
    const std::uint32_t usual = is_lines ? kUsualLinesProbes : kUsualBlockProbes;
    const BlockShape asked{**blocks, sizing.probes.value_or(usual), options.seeded};
    const auto shape = is_lines ? checked_lines(asked) : checked_one_line(asked);
    if (!shape) return shape.error();
    return BlockPlan{*shape, std::nullopt};
  }
  const auto solved = layout_for(options) == Layout::kLines ? solve_lines(sizing)
                                                            : solve_block(sizing, options.seeded);
  if (!solved) return solved.error();
  BlockPlan plan{solved->shape, std::nullopt};
  // A rate too small for a double is no goal that could ever be missed.
  if (const auto goal = checked(solved->goal)) plan.goal = *goal;
  return plan;
}

Result<NativeFilter> create_native(const CreateOptions& options) {
  const auto hash = key_hash_for(options);
  if (!hash) return hash.error();
  const Layout layout = layout_for(options);
  if (layout == Layout::kBlock) return create_block(options, *hash);
  if (options.seeded)
    return invalid_argument("only a block filter can be seeded, and this is another layout");
  if (layout == Layout::kLines) return create_block(options, *hash);
  if (layout == Layout::kScalable) return create_scalable(options, *hash);
  if (layout == Layout::kClassic)
    return create_array<ClassicFilter<BloomeryClassic>>(options, *hash, [](std::uint64_t bits) {
      return Shape{bits, 1}.bytes();
    });
  if (options.counter_bits == 2) return create_counting<2>(options, *hash);
  if (options.counter_bits == 4) return create_counting<4>(options, *hash);
  if (options.counter_bits == 8) return create_counting<8>(options, *hash);
  return invalid_argument(
      message("a counter has 2, 4 or 8 bits, and ", options.counter_bits, " were asked for"));
}

}  // namespace bloomery
