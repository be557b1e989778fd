// Numbers as text, both ways.
#pragma once
#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace bloomery::redis_client {

// All of the text, or false.
template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  return trouble == std::errc{} && end == text.data() + text.size();
}

// The shortest that reads back as the same number.
inline std::string double_text(double number) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), written.ptr};
}

}  // namespace bloomery::redis_client
