#include "bench/scale_sim/wording.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>

namespace bloomery::bench {
namespace {

template <class... Numbers>
std::string formatted(const char* form, Numbers... numbers) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), form, numbers...);
  return text.data();
}

struct Unit {
  double size;
  const char* name;
};

// In the largest unit of which there is one.
std::string in_units(double amount, std::span<const Unit> units) {
  const auto fits = [&](const Unit& unit) { return amount >= 0.9995 * unit.size; };
  const auto found = std::find_if(units.begin(), units.end() - 1, fits);
  return three_digits(amount / found->size) + " " + found->name;
}

}  // namespace

std::string fixed(double number, int digits) { return formatted("%.*f", digits, number); }

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string three_digits(double number) {
  if (number >= 999.5) return grouped(static_cast<std::uint64_t>(std::llround(number)));
  const int digits = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  return formatted("%.*f", digits, number);
}

std::string power_of_ten(double number) {
  const double exponent = std::floor(std::log10(number) + 1e-9);
  const double factor = number / std::pow(10, exponent);
  const std::string power = formatted("10^%.0f", exponent);
  return std::abs(factor - 1) < 1e-6 ? power : formatted("%.1f", factor) + " × " + power;
}

std::string bytes_in_words(double bytes) {
  constexpr std::array<Unit, 5> kUnits = {
      {{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}}};
  return in_units(bytes, kUnits);
}

std::string time_in_words(double seconds) {
  constexpr std::array<Unit, 3> kUnits = {{{3600, "h"}, {60, "min"}, {1, "s"}}};
  return in_units(seconds, kUnits);
}

std::string dollars(double amount) {
  return formatted("$%.*f", amount < 0.01 ? 4 : amount < 0.1 ? 3 : 2, amount);
}

std::string percent(double share, int digits) { return formatted("%.*f %%", digits, 100 * share); }

std::string signed_percent(double share, int digits) {
  return formatted("%+.*f %%", digits, 100 * share);
}

std::string rate_in_words(double share) {
  if (share == 0) return "0 %";
  return share >= 1e-6 ? percent(share, 5) : formatted("%.1e %%", 100 * share);
}

std::string small(double share) { return share == 0 ? "0" : formatted("%.1e", share); }

}  // namespace bloomery::bench
