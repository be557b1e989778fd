#include "apps/cli/shell/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <sstream>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

Error not_a_count(std::string_view text) {
  return {ErrorCode::kInvalidArgument,
          message("'", text, "' is not a number such as 250, 10M, 1e9 or 4Gi")};
}

Error not_a_probability(std::string_view text) {
  return {ErrorCode::kInvalidArgument,
          message("'", text, "' is not a probability such as 0.001, 0.1% or 1/1000")};
}

// The value and what follows it; from_chars knows no locale and takes no spaces.
struct Leading {
  double value;
  std::string_view rest;
};

Result<Leading> leading_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value) || text.starts_with('-'))
    return Error{ErrorCode::kInvalidArgument, "not a number"};
  return Leading{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

Error not_between(std::string_view text, const Leading& number) {
  const bool percent = number.rest.empty() && number.value >= 1 && number.value < 100;
  return {ErrorCode::kInvalidArgument,
          message("'", text, "' is not between 0 and 1",
                  percent ? message("; did you mean ", text, "%?") : "")};
}

// 1 for no suffix, 0 for one that means nothing.
double factor_of(std::string_view suffix) {
  if (suffix.ends_with('B')) suffix.remove_suffix(1);
  if (suffix.empty()) return 1;
  constexpr std::string_view kUnits = "KMGTP";
  const char unit = suffix[0] == 'k' ? 'K' : suffix[0];
  const auto power = kUnits.find(unit);
  if (power == std::string_view::npos) return 0;
  const double exponent = static_cast<double>(power + 1);
  if (suffix.size() == 1) return std::pow(1000.0, exponent);
  return suffix.substr(1) == "i" ? std::pow(1024.0, exponent) : 0;
}

std::string rounded(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

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

Result<std::uint64_t> parse_count(std::string_view text) {
  // Plain digits do not pass through a double, which holds only 53 bits of them.
  std::uint64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc{} && end == text.data() + text.size()) return whole;
  const auto number = leading_number(text);
  if (!number) return not_a_count(text);
  const double value = number->value * factor_of(number->rest);
  if (factor_of(number->rest) == 0) return not_a_count(text);
  if (value != std::floor(value))
    return Error{ErrorCode::kInvalidArgument, message("'", text, "' is not a whole number")};
  if (value >= 0x1p64)
    return Error{ErrorCode::kInvalidArgument, message("'", text, "' is too large")};
  return static_cast<std::uint64_t>(value);
}

Result<double> parse_probability(std::string_view text) {
  const auto number = leading_number(text);
  if (!number) return not_a_probability(text);
  double value = number->value;
  if (number->rest == "%") {
    value /= 100;
  } else if (number->rest.starts_with('/')) {
    const auto below = leading_number(number->rest.substr(1));
    if (!below || !below->rest.empty()) return not_a_probability(text);
    value /= below->value;
  } else if (!number->rest.empty()) {
    return not_a_probability(text);
  }
  if (!(value > 0 && value < 1)) return not_between(text, *number);
  return value;
}

Result<double> parse_decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(value))
    return value;
  return Error{ErrorCode::kInvalidArgument, message("'", text, "' is not a number")};
}

Result<std::uint64_t> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double milliseconds;
  };
  static constexpr Unit kUnits[] = {{"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}};
  constexpr double kLongest = 7 * 24 * 3600e3;
  const auto number = leading_number(text);
  for (const Unit& unit : kUnits) {
    if (!number || number->rest != unit.name) continue;
    const double value = number->value * unit.milliseconds;
    if (value >= 1 && value <= kLongest) return static_cast<std::uint64_t>(value);
    return Error{ErrorCode::kInvalidArgument, message("'", text, "' is not between 1ms and 168h")};
  }
  return Error{ErrorCode::kInvalidArgument,
               message("'", text, "' is not a time such as 300ms, 90s, 5m or 1h")};
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return message(bytes, bytes == 1 ? " byte" : " bytes");
  constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.95) {
    value /= 1024;
    ++unit;
  }
  return message(rounded("%.1f", value), ' ', kUnits[unit]);
}

std::string format_count_exactly(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

std::string format_count(double count) {
  return format_count_exactly(static_cast<std::uint64_t>(std::llround(std::max(0.0, count))));
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return message(format_count(count), " ", noun, count == 1 ? "" : "s");
}

std::string format_speed(double per_second) {
  double unit = 1;
  while (per_second / unit >= 999.5) unit *= 10;
  return format_count(std::round(per_second / unit) * unit) + "/s";
}

std::string format_probability(double rate) {
  if (rate == 0) return "0";
  if (rate < 1e-6) return rounded("%.2g", rate);
  return rounded("%.3g", rate * 100) + " %";
}

std::string format_seconds(double seconds) {
  if (seconds < 99.5) return rounded(seconds < 9.95 ? "%.2f s" : "%.0f s", seconds);
  const auto whole = static_cast<unsigned long>(std::llround(seconds));
  char text[64];
  if (whole < 3600)
    std::snprintf(text, sizeof text, "%lu min %02lu s", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
  return text;
}

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

std::string axis_count(double count) {
  static constexpr std::array<std::string_view, 6> kSuffixes = {"", "k", "M", "G", "T", "P"};
  std::size_t suffix = 0;
  while (count >= 999.5 && suffix + 1 < kSuffixes.size()) {
    count /= 1000;
    ++suffix;
  }
  return significant(count, 3) + std::string{kSuffixes[suffix]};
}

std::string axis_percent(double rate) {
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

}  // namespace bloomery::cli
