#include "apps/ethlog/json/rpc_json.h"

#include <cstdint>
#include <optional>

namespace bloomery::ethlog {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<unsigned> hex_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

// The bytes of the UTF-8 character that begins here; 0: none does.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (byte(i) >> 6 != 2) return 0;
  // Not the shortest form, a surrogate, or beyond the last character.
  const unsigned second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
    return 0;
  return length;
}

// Four digits.
std::optional<std::uint32_t> code_unit(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t unit = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto digit = hex_digit(text[i]);
    if (!digit) return std::nullopt;
    unit = unit << 4 | *digit;
  }
  return unit;
}

bool is_high(std::uint32_t unit) { return unit >> 10 == 0xd800U >> 10; }
bool is_low(std::uint32_t unit) { return unit >> 10 == 0xdc00U >> 10; }

class Checker {
 public:
  Checker(std::string_view text, std::size_t most_depth) : text_{text}, most_depth_{most_depth} {}

  bool check() {
    if (!value()) return false;
    while (!open_.empty())
      if (!step()) return false;
    skip_space();
    return at_ == text_.size();
  }

 private:
  // What follows a value inside a list or an object.
  bool step() {
    skip_space();
    const char closing = open_.back() ? '}' : ']';
    if (take(closing)) {
      open_.pop_back();
      fresh_ = false;
      return true;
    }
    if (!fresh_ && !take(',')) return false;
    fresh_ = false;
    skip_space();
    return !open_.back() || (string() && colon()) ? value() : false;
  }

  bool colon() {
    skip_space();
    return take(':');
  }

  bool value() {
    skip_space();
    if (at_ == text_.size()) return false;
    const char c = text_[at_];
    if (c == '{' || c == '[') {
      if (open_.size() == most_depth_) return false;
      open_.push_back(c == '{');
      fresh_ = true;
      ++at_;
      return true;
    }
    if (c == '"') return string();
    if (c == '-' || is_digit(c)) return number();
    return word("null") || word("true") || word("false");
  }

  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  bool digits() {
    const std::size_t before = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ > before;
  }

  bool number() {
    (void)take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) (void)take('-');
      return digits();
    }
    return true;
  }

  bool string() {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') return take('"');
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c == '\\') {
        if (!escape()) return false;
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(at_));
      if (length == 0) return false;
      at_ += length;
    }
    return false;
  }

  bool escape() {
    ++at_;
    if (at_ == text_.size()) return false;
    const char c = text_[at_++];
    if (c != 'u') return std::string_view{"\"\\/bfnrt"}.find(c) != std::string_view::npos;
    const auto first = code_unit(text_.substr(at_));
    if (!first || is_low(*first)) return false;
    at_ += 4;
    if (!is_high(*first)) return true;
    if (text_.substr(at_, 2) != "\\u") return false;
    const auto second = code_unit(text_.substr(at_ + 2));
    at_ += 6;
    return second && is_low(*second);
  }

  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  std::string_view text_;
  std::size_t most_depth_;
  std::size_t at_ = 0;
  std::vector<bool> open_;  // true: an object
  bool fresh_ = false;      // nothing yet inside the innermost one
};

// Past the string that begins here.
std::size_t after_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at + 1;
}

std::size_t after_value(std::string_view text, std::size_t at) {
  if (text[at] == '"') return after_string(text, at);
  if (text[at] != '{' && text[at] != '[') {
    while (at < text.size() && !is_space(text[at]) && text[at] != ',' && text[at] != '}' &&
           text[at] != ']')
      ++at;
    return at;
  }
  for (std::size_t depth = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = after_string(text, at);
      continue;
    }
    ++at;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) break;
  }
  return at;
}

// Past white space, commas and colons.
std::size_t next_token(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_space(text[at]) || text[at] == ',' || text[at] == ':')) ++at;
  return at;
}

void append_utf8(std::string& out, std::uint32_t c) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
  }
  put(0x80 | (c & 0x3f));
}

}  // namespace

bool is_json(std::string_view text, std::size_t most_depth) {
  return Checker{text, most_depth}.check();
}

std::string_view json_trimmed(std::string_view value) {
  while (!value.empty() && is_space(value.front())) value.remove_prefix(1);
  while (!value.empty() && is_space(value.back())) value.remove_suffix(1);
  return value;
}

JsonKind json_kind(std::string_view value) {
  switch (json_trimmed(value).front()) {
    case 'n':
      return JsonKind::kNull;
    case 't':
    case 'f':
      return JsonKind::kBool;
    case '"':
      return JsonKind::kString;
    case '[':
      return JsonKind::kArray;
    case '{':
      return JsonKind::kObject;
    default:
      return JsonKind::kNumber;
  }
}

std::string_view json_kind_name(std::string_view value) {
  switch (json_kind(value)) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBool:
      return "bool";
    case JsonKind::kNumber:
      return "number";
    case JsonKind::kString:
      return "string";
    case JsonKind::kArray:
      return "array";
    case JsonKind::kObject:
      break;
  }
  return "object";
}

void visit_json_items(std::string_view array, const std::function<bool(std::string_view)>& visit) {
  const std::string_view text = json_trimmed(array);
  for (std::size_t at = next_token(text, 1); text[at] != ']';) {
    const std::size_t end = after_value(text, at);
    if (!visit(text.substr(at, end - at))) return;
    at = next_token(text, end);
  }
}

std::vector<std::string_view> json_items(std::string_view array, std::size_t most) {
  std::vector<std::string_view> items;
  if (most == 0) return items;
  visit_json_items(array, [&](std::string_view item) {
    items.push_back(item);
    return items.size() < most;
  });
  return items;
}

void visit_json_members(std::string_view object, const VisitMember& visit) {
  const std::string_view text = json_trimmed(object);
  for (std::size_t at = next_token(text, 1); text[at] != '}';) {
    const std::size_t name_end = after_string(text, at);
    const std::size_t value = next_token(text, name_end);
    const std::size_t end = after_value(text, value);
    visit(json_text(text.substr(at, name_end - at)), text.substr(value, end - value));
    at = next_token(text, end);
  }
}

std::vector<JsonMember> json_members(std::string_view object) {
  std::vector<JsonMember> members;
  visit_json_members(object, [&](const std::string& name, std::string_view value) {
    members.emplace_back(name, value);
  });
  return members;
}

std::string json_text(std::string_view string) {
  const std::string_view text = json_trimmed(string);
  std::string out;
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    const char c = text[++at];
    constexpr std::string_view kLetters = "bfnrt";
    if (c == 'u') {
      std::uint32_t unit = *code_unit(text.substr(at + 1));
      at += 4;
      if (is_high(unit)) {
        const std::uint32_t low = *code_unit(text.substr(at + 3));
        unit = 0x10000 + ((unit & 0x3ff) << 10 | (low & 0x3ff));
        at += 6;
      }
      append_utf8(out, unit);
    } else if (const auto letter = kLetters.find(c); letter != std::string_view::npos) {
      out += "\b\f\n\r\t"[letter];
    } else {
      out += c;
    }
  }
  return out;
}

bool is_utf8_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void append_json_text(std::string& out, std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t length = utf8_length(text.substr(at));
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kDigits[static_cast<unsigned char>(c) >> 4];
      out += kDigits[static_cast<unsigned char>(c) & 15];
    } else if (length == 0) {
      out += "\xef\xbf\xbd";
    } else {
      out += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  out += '"';
}

}  // namespace bloomery::ethlog
