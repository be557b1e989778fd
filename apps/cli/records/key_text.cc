#include "apps/cli/records/key_text.h"

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr unsigned kNoDigit = 64;

unsigned hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return kNoDigit;
}

unsigned base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a' + 26);
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0' + 52);
  if (c == '+' || c == '-') return 62;
  if (c == '/' || c == '_') return 63;
  return kNoDigit;
}

Error invalid(std::string sentence) { return {ErrorCode::kInvalidArgument, std::move(sentence)}; }

}  // namespace

Status append_hex(std::string_view record, std::vector<std::byte>& to, std::size_t& fault) {
  const std::size_t prefix = record.starts_with("0x") || record.starts_with("0X") ? 2 : 0;
  fault = 0;
  if (record.size() % 2 != 0)
    return invalid(
        message("hexadecimal digits come in pairs, and there are ", record.size() - prefix));
  for (std::size_t i = prefix; i < record.size(); i += 2) {
    const unsigned high = hex_digit(record[i]);
    const unsigned low = hex_digit(record[i + 1]);
    if (high == kNoDigit || low == kNoDigit) {
      fault = high == kNoDigit ? i : i + 1;
      return invalid("it is not hexadecimal");
    }
    to.push_back(static_cast<std::byte>(high << 4 | low));
  }
  return ok();
}

Status append_base64(std::string_view record, std::vector<std::byte>& to, std::size_t& fault) {
  fault = 0;
  std::size_t padding = 0;
  while (padding < 2 && record.ends_with('=')) {
    record.remove_suffix(1);
    ++padding;
  }
  if (record.size() % 4 == 1 || (padding != 0 && (record.size() + padding) % 4 != 0))
    return invalid("it is not base64: its length is wrong");
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const unsigned digit = base64_digit(record[i]);
    if (digit == kNoDigit) {
      fault = i;
      return invalid("it is not base64");
    }
    bits = (bits << 6 | digit) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    to.push_back(static_cast<std::byte>(bits >> held & 0xff));
  }
  if ((bits & ((1U << held) - 1)) == 0) return ok();
  fault = record.size() - 1;
  return invalid("it is not base64: bits are left over");
}

Result<std::byte> parse_byte(std::string_view text) {
  if (text.size() == 1) return static_cast<std::byte>(text[0]);
  if (text == "\\t") return std::byte{'\t'};
  if (text == "\\n") return std::byte{'\n'};
  if (text == "\\r") return std::byte{'\r'};
  if (text == "\\0") return std::byte{0};
  if (text == "\\\\") return std::byte{'\\'};
  std::vector<std::byte> byte;
  std::size_t fault = 0;
  if (text.size() == 4 && text.starts_with("\\x") && append_hex(text.substr(2), byte, fault))
    return byte[0];
  return invalid(
      message("'", text, "' is not one byte; write it as it is, or as \\t, \\n, \\0 or \\x1f"));
}

}  // namespace bloomery::cli
