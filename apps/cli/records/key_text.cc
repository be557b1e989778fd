#include "apps/cli/records/key_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr unsigned kNoDigit = 64;
// Deeper values could not be printed again without exhausting the stack.
constexpr int kMaxNesting = 500;

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

void append_text(std::string_view text, std::vector<std::byte>& to) {
  const ByteView bytes = bytes_of(text);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

std::vector<std::string> tokens_of(std::string_view pointer) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/')
      tokens.emplace_back();
    else if (pointer[i] == '~')
      tokens.back() += pointer[++i] == '1' ? '/' : '~';
    else
      tokens.back() += pointer[i];
  }
  return tokens;
}

// Finds the text of the number at a pointer: a double holds 17 digits of it.
class NumberText final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit NumberText(std::string_view pointer) : wanted_{tokens_of(pointer)} {}
  const std::string& text() const { return text_; }

  bool null() override { return step(); }
  bool boolean(bool) override { return step(); }
  bool number_integer(std::int64_t) override { return step(); }
  bool number_unsigned(std::uint64_t) override { return step(); }
  bool number_float(double, const std::string& text) override {
    if (place() == wanted_) text_ = text;
    return step();
  }
  bool string(std::string&) override { return step(); }
  bool binary(nlohmann::json::binary_t&) override { return step(); }
  bool start_object(std::size_t) override { return enter({}); }
  bool key(std::string& name) override {
    levels_.back().name = name;
    return true;
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(std::uint64_t{0}); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

 private:
  struct Level {
    std::string name;                    // of the member, in an object
    std::optional<std::uint64_t> index;  // in an array
  };
  std::vector<std::string> place() const {
    std::vector<std::string> tokens;
    for (const Level& level : levels_)
      tokens.push_back(level.index ? std::to_string(*level.index) : level.name);
    return tokens;
  }
  bool step() {
    if (!levels_.empty() && levels_.back().index) ++*levels_.back().index;
    return true;
  }
  bool enter(std::optional<std::uint64_t> index) {
    levels_.push_back({{}, index});
    return true;
  }
  bool leave() {
    levels_.pop_back();
    return step();
  }

  std::vector<std::string> wanted_;
  std::vector<Level> levels_;
  std::string text_;
};

// Two different numbers are two keys, even where a double could not distinguish them.
std::string text_of_float(const nlohmann::json& value, std::string_view record,
                          const std::string& pointer) {
  constexpr std::ptrdiff_t kDigitsOfADouble = 15;
  NumberText finder{pointer};
  if (!nlohmann::json::sax_parse(record, &finder)) return value.dump();
  const std::string& text = finder.text();
  const bool is_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  const auto digits = std::ranges::count_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return !text.empty() && (is_integer || digits > kDigitsOfADouble) ? text : value.dump();
}

}  // namespace

Status append_hex(std::string_view record, std::vector<std::byte>& to) {
  if (record.starts_with("0x") || record.starts_with("0X")) record.remove_prefix(2);
  if (record.size() % 2 != 0)
    return invalid(message("hexadecimal digits come in pairs, and there are ", record.size()));
  for (std::size_t i = 0; i < record.size(); i += 2) {
    const unsigned high = hex_digit(record[i]);
    const unsigned low = hex_digit(record[i + 1]);
    if (high == kNoDigit || low == kNoDigit) return invalid("it is not hexadecimal");
    to.push_back(static_cast<std::byte>(high << 4 | low));
  }
  return ok();
}

Status append_base64(std::string_view record, std::vector<std::byte>& to) {
  std::size_t padding = 0;
  while (padding < 2 && record.ends_with('=')) {
    record.remove_suffix(1);
    ++padding;
  }
  if (record.size() % 4 == 1 || (padding != 0 && (record.size() + padding) % 4 != 0))
    return invalid("it is not base64: its length is wrong");
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : record) {
    const unsigned digit = base64_digit(c);
    if (digit == kNoDigit) return invalid("it is not base64");
    bits = (bits << 6 | digit) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    to.push_back(static_cast<std::byte>(bits >> held & 0xff));
  }
  if ((bits & ((1U << held) - 1)) != 0) return invalid("it is not base64: bits are left over");
  return ok();
}

Result<JsonKey> JsonKey::parse(const std::string& pointer) {
  try {
    const nlohmann::json::json_pointer checked{pointer};
  } catch (const nlohmann::json::exception&) {
    return invalid(message("'", pointer, "' is not a JSON Pointer such as /user/id"));
  }
  return JsonKey{pointer};
}

Result<bool> JsonKey::append(std::string_view record, std::vector<std::byte>& to) const {
  if (record.find_first_not_of(" \t\r\n") == std::string_view::npos) return false;
  // The parser would take it for the end of the text.
  if (record.find('\0') != std::string_view::npos)
    return invalid("it is not JSON: a NUL byte is in it");
  bool too_deep = false;
  const auto watch = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > kMaxNesting) too_deep = true;
    return !too_deep;
  };
  const auto json = nlohmann::json::parse(record, watch, false);
  if (too_deep) return invalid(message("its JSON is nested deeper than ", kMaxNesting, " levels"));
  if (json.is_discarded()) return invalid("it is not JSON");
  try {
    const auto& value = json.at(nlohmann::json::json_pointer{pointer_});
    if (value.is_null()) return false;
    append_text(value.is_string()         ? value.get_ref<const std::string&>()
                : value.is_number_float() ? text_of_float(value, record, pointer_)
                                          : value.dump(),
                to);
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  return true;
}

Result<std::byte> parse_byte(std::string_view text) {
  if (text.size() == 1) return static_cast<std::byte>(text[0]);
  if (text == "\\t") return std::byte{'\t'};
  if (text == "\\n") return std::byte{'\n'};
  if (text == "\\r") return std::byte{'\r'};
  if (text == "\\0") return std::byte{0};
  if (text == "\\\\") return std::byte{'\\'};
  std::vector<std::byte> byte;
  if (text.size() == 4 && text.starts_with("\\x") && append_hex(text.substr(2), byte))
    return byte[0];
  return invalid(
      message("'", text, "' is not one byte; write it as it is, or as \\t, \\n, \\0 or \\x1f"));
}

}  // namespace bloomery::cli
