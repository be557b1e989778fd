#include "apps/cli/shell/short_number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::string tiny(double rate) {
  int exponent = static_cast<int>(std::floor(std::log10(rate)));
  double lead = std::round(rate / std::pow(10, exponent) * 100) / 100;
  if (lead >= 10) {
    lead = 1;
    ++exponent;
  }
  if (lead == 1) return power_of_ten(exponent);
  return significant(lead, 3) + "×" + power_of_ten(exponent);
}

}  // namespace

std::string significant(double value, int digits) {
  std::ostringstream out;
  throw_on_failure(out);
  out << std::setprecision(digits) << std::defaultfloat << value;
  return std::move(out).str();
}

// A negative power of ten as people write it: a minus sign and raised digits.
std::string power_of_ten(int exponent) {
  static constexpr std::array<std::string_view, 10> kRaised = {"⁰", "¹", "²", "³", "⁴",
                                                               "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = "10⁻";
  for (const char digit : std::to_string(-exponent))
    out += kRaised[static_cast<std::size_t>(digit - '0')];
  return out;
}

std::string short_count(double count) {
  static constexpr std::array<std::string_view, 6> kSuffixes = {"", "k", "M", "G", "T", "P"};
  std::size_t suffix = 0;
  while (count >= 999.5 && suffix + 1 < kSuffixes.size()) {
    count /= 1000;
    ++suffix;
  }
  return significant(count, 3) + std::string{kSuffixes[suffix]};
}

std::string short_percent(double rate) {
  const double percent = rate * 100;
  // Nothing rounds to 100 % that is not all but certain.
  if (percent >= 99.95) return "100 %";
  if (percent > 0 && percent < 1e-4) return tiny(rate);
  std::ostringstream out;
  throw_on_failure(out);
  const int decimals =
      percent <= 0 ? 0 : std::max(0, 2 - static_cast<int>(std::floor(std::log10(percent))));
  out << std::fixed << std::setprecision(decimals) << percent;
  std::string digits = std::move(out).str();
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return digits + " %";
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

std::string short_bytes(std::uint64_t bytes) {
  std::string count = short_count(static_cast<double>(bytes));
  const bool has_suffix = count.back() > '9';
  count.insert(has_suffix ? count.size() - 1 : count.size(), " ");
  return count + (has_suffix ? "B" : "bytes");
}

}  // namespace bloomery::cli
