#include "bloomery/formats/measured_description.h"

#include "bloomery/filter/measure.h"

namespace bloomery {
namespace {

// measured_rate's idea of a filter; remembers whether it could be asked at all.
struct Asked {
  const AnyFilter& filter;
  bool& refused;
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const {
    if (!bloomery::may_contain_batch(filter, keys, answers)) refused = true;
  }
};

struct Measured {
  double rate;
  std::uint64_t samples;
};

std::optional<Measured> measure(const AnyFilter& filter, MeasureBudget budget) {
  constexpr std::uint64_t kStep = 1 << 14;
  const auto end = std::chrono::steady_clock::now() + budget.time;
  double maybes = 0;
  std::uint64_t asked = 0;
  bool refused = false;
  while (asked < budget.samples && (asked == 0 || std::chrono::steady_clock::now() < end)) {
    const std::uint64_t count = std::min(kStep, budget.samples - asked);
    // The number of the step as seed: other keys each time, the same keys in every run.
    maybes += measured_rate(Asked{filter, refused}, count, asked + 1) * static_cast<double>(count);
    if (refused) return std::nullopt;
    asked += count;
  }
  return Measured{maybes / static_cast<double>(asked), asked};
}

}  // namespace

MeasuredDescription describe_measured(const AnyFilter& filter, MeasureBudget budget) {
  MeasuredDescription result{describe(filter), 0, std::nullopt};
  if (!result.description.health || budget.samples == 0) return result;
  const auto measured = measure(filter, budget);
  if (!measured) return result;
  result.samples = measured->samples;
  Health& health = *result.description.health;
  const double rate = confirmed_rate(health.error_rate, measured->rate, measured->samples);
  if (rate == health.error_rate) return result;
  result.rate_of_bits = health.error_rate;
  health.error_rate = rate;
  health.verdict = judge(health.fill, rate, result.description.goal);
  health.sampled = true;
  return result;
}

}  // namespace bloomery
