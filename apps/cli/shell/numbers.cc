#include "apps/cli/shell/numbers.h"

#include <charconv>
#include <cmath>
#include <cstdio>

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

// Three significant digits, without an exponent.
std::string three_digits(double value) {
  return rounded(value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
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
  if (!(value > 0 && value < 1))
    return Error{ErrorCode::kInvalidArgument,
                 message("a probability lies between 0 and 1, and '", text, "' does not")};
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

std::string format_count(double count) {
  if (count < 9999.5) return rounded("%.0f", count);
  constexpr std::string_view kUnits[] = {"k", "M", "G", "T", "P", "E"};
  double value = count / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return message(three_digits(value), ' ', kUnits[unit]);
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

}  // namespace bloomery::cli
