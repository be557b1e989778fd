// Keys, rate, bits and probes of a classic filter: each from the others.
#pragma once
#include "bloomery/layout/shape.h"
#include "bloomery/layout/sizing_request.h"

namespace bloomery {

// The real numbers of the textbook; a filter has integers.
double ideal_bits(Goal goal);                   // -n ln p / (ln 2)^2
double ideal_probes(double bits, double keys);  // m/n ln 2

// The chance that an absent key is answered "maybe", three ways. The classical formula is a little
// low, the bound (Goel and Gupta 2010) never is, and the exact one is the truth for independent
// probes that may coincide (Bose et al. 2008, Christensen et al. 2010).
// Precondition: checked(shape), keys >= 0.
double expected_rate(Shape shape, double keys);  // (1 - e^(-kn/m))^k
double rate_bound(Shape shape, double keys);     // (1 - e^(-k(n+0.5)/(m-1)))^k
// Any number of bits and keys; kUnsupported beyond kMaxExactProbes, where it would take minutes.
Result<double> exact_rate(Shape shape, std::uint64_t keys);
inline constexpr std::uint32_t kMaxExactProbes = 64;

// The whole number of probes with the lowest expected rate. Precondition: bits, keys >= 1.
std::uint32_t best_probes(std::uint64_t bits, std::uint64_t keys);
// The real number of bits at which that many probes reach the goal exactly.
double bits_for(Goal goal, std::uint32_t probes);
// The probes that need the fewest bits for a rate: log2(1/p) rounded to the better side.
std::uint32_t probes_for(double rate);
// How many keys a filter holds before its expected rate exceeds `rate`; 0 if not even one.
std::uint64_t max_keys(Shape shape, double rate);

struct Sizing {
  std::uint64_t keys;
  double rate;  // expected from the other four: at most the one asked for
  std::uint64_t bits;
  std::uint32_t probes;
  double bits_per_key;
};

// Everything from any sufficient part: keys and rate; keys and bits; bits and rate; bits per key in
// place of keys or bits; each with the probes or without. Where more is given than needed it must
// agree: a rate that the rest already fixes is a limit to keep. kInvalidArgument says what is
// missing or what contradicts what.
Result<Sizing> solve(const SizingRequest& request);

}  // namespace bloomery
