#include "apps/ethlog/model/hex.h"

#include <algorithm>
#include <array>

namespace bloomery::ethlog {
namespace {

constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> digit_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) values['0' + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i) {
    values['a' + i] = static_cast<std::uint8_t>(10 + i);
    values['A' + i] = static_cast<std::uint8_t>(10 + i);
  }
  return values;
}
constexpr auto kDigitValues = digit_values();

bool has_prefix(std::string_view text) {
  return text.size() >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

}  // namespace

void append_hex(std::string& out, ByteView bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "0x";
  for (const std::byte byte : bytes) {
    out += kDigits[std::to_integer<unsigned>(byte) >> 4];
    out += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
}

std::string to_hex(ByteView bytes) {
  std::string out;
  out.reserve(2 + 2 * bytes.size());
  append_hex(out, bytes);
  return out;
}

bool fill_from_hex(std::string_view text, ByteSpan out) {
  if (!has_prefix(text) || text.size() != 2 + 2 * out.size()) return false;
  const char* digits = text.data() + 2;
  for (std::byte& byte : out) {
    const std::uint8_t high = kDigitValues[static_cast<std::uint8_t>(*digits++)];
    const std::uint8_t low = kDigitValues[static_cast<std::uint8_t>(*digits++)];
    if (((high | low) & 0xf0) != 0) return false;
    byte = static_cast<std::byte>(high << 4 | low);
  }
  return true;
}

std::optional<std::vector<std::byte>> bytes_from_hex(std::string_view text) {
  if (!has_prefix(text) || text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> out(text.size() / 2 - 1);
  if (!fill_from_hex(text, out)) return std::nullopt;
  return out;
}

std::string to_quantity(std::uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  do digits += kDigits[value & 15];
  while ((value >>= 4) != 0);
  digits += "x0";
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::optional<std::vector<std::byte>> integer_from_quantity(std::string_view text) {
  constexpr std::size_t kMostDigits = 64;
  if (!has_prefix(text) || text.size() == 2) return std::nullopt;
  text.remove_prefix(2);
  while (!text.empty() && text[0] == '0') text.remove_prefix(1);
  if (text.size() > kMostDigits) return std::nullopt;
  const std::string whole = (text.size() % 2 == 0 ? "0x" : "0x0") + std::string{text};
  return bytes_from_hex(whole);
}

std::optional<std::uint64_t> number_from_quantity(std::string_view text) {
  const auto raw = integer_from_quantity(text);
  if (!raw || raw->size() > sizeof(std::uint64_t)) return std::nullopt;
  std::uint64_t value = 0;
  for (const std::byte digit : *raw) value = value << 8 | std::to_integer<std::uint64_t>(digit);
  return value;
}

}  // namespace bloomery::ethlog
