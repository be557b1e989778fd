#include "apps/redis/server/numbers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace bloomery::redis_module {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (text != "0" && (digits.empty() || digits[0] < '1' || digits[0] > '9')) return std::nullopt;
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

std::optional<double> parse_double(std::string_view text) {
  const std::string terminated{text};
  if (terminated.empty() || std::isspace(static_cast<unsigned char>(terminated[0])) != 0)
    return std::nullopt;
  char* stopped = nullptr;
  errno = 0;
  const double number = std::strtod(terminated.c_str(), &stopped);
  if (stopped != terminated.c_str() + terminated.size() || std::isnan(number)) return std::nullopt;
  if (errno == ERANGE && (std::isinf(number) || number == 0)) return std::nullopt;
  return number;
}

std::string double_text(double number) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), written.ptr};
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool begins(std::string_view word, std::string_view name) {
  return !word.empty() && same_word(word, name.substr(0, word.size()));
}

}  // namespace bloomery::redis_module
