// What a filter knows about itself. error_rate comes from the bits as they are, not from what was
// planned.
#pragma once
#include <optional>
#include <string_view>

#include "bloomery/base/bytes.h"
#include "bloomery/layout/shape.h"

namespace bloomery {

enum class Verdict : std::uint8_t { kOk, kOverDesign, kSaturated };
std::string_view verdict_name(Verdict verdict);  // "ok", "over-design", "saturated"

struct Health {
  double fill;            // share of bits set
  double estimated_keys;  // distinct keys that explain the fill
  double error_rate;      // chance that an absent key is answered "maybe", now
  Verdict verdict;        // against the goal the filter was made for
  bool sampled = false;   // true where a large filter was judged by a part of it
};

// Over design: the rate exceeds 1.05 times the goal's. Saturated: fill >= 0.9 or rate >= 0.5.
// Without a goal a filter is never over design.
Verdict judge(double fill, double error_rate, std::optional<Goal> goal);

// Keys that explain `ones` set bits. A full filter gives the estimate for half a bit less than
// full: a lower bound, and finite.
double estimated_keys(Shape shape, std::uint64_t ones);

// Of a classic filter with `ones` set bits: the rate is fill^probes.
Health classic_health(Shape shape, std::uint64_t ones, std::optional<Goal> goal);

// The health of a stack of layers, of which a lookup asks each: its rate is the chance that any of
// them answers "maybe", its fill is over all bits.
class StackHealth {
 public:
  void add(const Health& layer, std::uint64_t bits);
  Health total(std::optional<Goal> goal) const;

 private:
  double ones_ = 0;
  double bits_ = 0;
  double keys_ = 0;
  double log_all_right_ = 0;  // a product of numbers next to 1 would lose the small rates
};

std::uint64_t count_ones(ByteView bytes);

}  // namespace bloomery
