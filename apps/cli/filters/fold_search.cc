#include "apps/cli/filters/fold_search.h"

#include <algorithm>
#include <cmath>

#include "bloomery/layout/sizing.h"

namespace bloomery::cli {
namespace {

// Fewer than for a report: many folds may have to be measured.
constexpr MeasureBudget kBudget{.samples = 200'000, .time = std::chrono::milliseconds{250}};

// A bit of the fold is clear only if all `factor` bits that meet in it were.
double expected_after(const Description& description, std::uint64_t factor) {
  const double fill = 1 - std::pow(1 - description.health->fill, static_cast<double>(factor));
  return std::pow(fill, description.probes.value_or(1));
}

// Cheap and a little low for clustered bits and for blocks, so it only leaves out what is hopeless.
bool is_hopeless(const Description& description, std::uint64_t factor, double rate) {
  return expected_after(description, factor) > 2 * rate;
}

// A file of ours keeps its goal, and health is judged by it: from now on the goal is the rate the
// fold was asked for and the keys that still keep it, because there is less room.
template <class Filter, class AnyShape>
void adopt_rate(Filter& filter, AnyShape shape, double rate) {
  Provenance provenance = filter.provenance();
  if (const std::uint64_t keys = max_keys(shape, rate); keys > 0)
    provenance.goal = Goal{keys, rate};
  filter.set_provenance(provenance);
}
void adopt_rate(AnyFilter& filter, double rate) {
  if (auto* classic = std::get_if<NativeClassic>(&filter))
    adopt_rate(classic->filter, classic->filter.shape(), rate);
  if (auto* block = std::get_if<NativeBlock>(&filter))
    adopt_rate(block->filter, block->filter.block_shape(), rate);
}

}  // namespace

std::vector<std::uint64_t> divisors_downwards(std::uint64_t number) {
  std::vector<std::uint64_t> divisors;
  for (std::uint64_t i = 1; i * i <= number; ++i) {
    if (number % i != 0) continue;
    divisors.push_back(i);
    if (i != number / i) divisors.push_back(number / i);
  }
  std::ranges::sort(divisors, std::greater<>{});
  return divisors;
}

Result<std::optional<Folded>> smallest_fold(const AnyFilter& filter, double rate) {
  // Also says whether this kind of filter can be folded at all.
  auto whole = fold(filter, 1);
  if (!whole) return whole.error();
  Description description = describe(filter);
  if (!description.bits || !description.health)
    return Error{ErrorCode::kUnsupported,
                 "this kind of filter does not report its size and fill, so it cannot be folded"};
  for (const std::uint64_t factor : divisors_downwards(*description.bits)) {
    if (is_hopeless(description, factor, rate)) continue;
    auto folded = fold(filter, factor);
    if (!folded) continue;  // the format wants its bits in multiples that this one breaks
    if (describe(*folded).health->error_rate > rate) continue;
    adopt_rate(*folded, rate);
    Description measured = describe_measured(*folded, kBudget).description;
    if (measured.health->error_rate > rate) continue;
    return std::optional{Folded{factor, std::move(*folded), std::move(measured)}};
  }
  return std::optional<Folded>{};
}

}  // namespace bloomery::cli
