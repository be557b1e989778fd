#include "bloomery/filter/health.h"

#include <bit>
#include <cmath>

#include "bloomery/base/endian.h"

namespace bloomery {

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kOverDesign:
      return "over-design";
    case Verdict::kSaturated:
      return "saturated";
  }
  return "";
}

Verdict judge(double fill, double error_rate, std::optional<Goal> goal) {
  if (fill >= 0.9 || error_rate >= 0.5) return Verdict::kSaturated;
  if (goal && error_rate > 1.05 * goal->false_positive_rate) return Verdict::kOverDesign;
  return Verdict::kOk;
}

double estimated_keys(Shape shape, std::uint64_t ones) {
  if (shape.bits == 0 || shape.probes == 0) return 0;
  const auto bits = static_cast<double>(shape.bits);
  const double full = ones >= shape.bits ? bits - 0.5 : static_cast<double>(ones);
  return -std::log1p(-full / bits) * bits / shape.probes;
}

Health classic_health(Shape shape, std::uint64_t ones, std::optional<Goal> goal) {
  const double fill =
      shape.bits == 0 ? 1.0 : static_cast<double>(ones) / static_cast<double>(shape.bits);
  const double rate = std::pow(fill, shape.probes);  // 1 for a filter without probes
  return {fill, estimated_keys(shape, ones), rate, judge(fill, rate, goal)};
}

void StackHealth::add(const Health& layer, std::uint64_t bits) {
  ones_ += layer.fill * static_cast<double>(bits);
  bits_ += static_cast<double>(bits);
  keys_ += layer.estimated_keys;
  log_all_right_ += std::log1p(-layer.error_rate);
}

Health StackHealth::total(std::optional<Goal> goal) const {
  const double fill = ones_ / bits_;
  const double rate = -std::expm1(log_all_right_);
  return {fill, keys_, rate, judge(fill, rate, goal)};
}

std::uint64_t count_ones(ByteView bytes) {
  std::uint64_t ones = 0;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8)
    ones += static_cast<unsigned>(std::popcount(load_le<std::uint64_t>(bytes.data() + at)));
  for (; at < bytes.size(); ++at)
    ones += static_cast<unsigned>(std::popcount(static_cast<std::uint8_t>(bytes[at])));
  return ones;
}

}  // namespace bloomery
