#include "apps/cli/documents/json_text.h"

#include <algorithm>
#include <charconv>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr int kDeepest = 500;
constexpr std::size_t kNotOnTheWay = static_cast<std::size_t>(-1);

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_plain(char c) {  // a character of a string that stands for itself
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

// One pass over a record.
class RecordScan {
 public:
  RecordScan(std::string_view record, const std::vector<std::string>& tokens,
             std::string_view attribute, JsonDocument& found)
      : record_{record}, tokens_{tokens}, attribute_{attribute}, found_{found} {}

  std::optional<JsonFault> run() {
    if (record_.starts_with("\xef\xbb\xbf"))
      fail("it begins with a UTF-8 byte order mark; remove it");
    skip_space();
    if (good_) value(0, 0);
    skip_space();
    if (good_ && at_ != record_.size()) fail("more follows the end of the value");
    return std::move(fault_);
  }

 private:
  bool fail(std::string why) {
    if (good_) fault_ = JsonFault{at_, "it is not JSON: " + std::move(why)};
    good_ = false;
    return false;
  }
  bool fail_at(std::size_t byte, std::string why) {
    if (good_) fault_ = JsonFault{byte, std::move(why)};
    good_ = false;
    return false;
  }
  char peek() const { return at_ < record_.size() ? record_[at_] : '\0'; }
  void skip_space() {
    while (at_ < record_.size() && (record_[at_] == ' ' || record_[at_] == '\t' ||
                                    record_[at_] == '\n' || record_[at_] == '\r'))
      ++at_;
  }
  bool expect(char c, const char* why) {
    skip_space();
    if (peek() != c || at_ == record_.size()) return fail(why);
    ++at_;
    return true;
  }

  bool string(std::size_t& begin, std::size_t& end) {
    if (peek() != '"') return fail("a string was expected");
    begin = ++at_;
    for (;;) {
      while (at_ < record_.size() && is_plain(record_[at_])) ++at_;
      if (at_ == record_.size()) return fail("it ends within a string");
      if (record_[at_] == '"') break;
      if (record_[at_] != '\\') return fail("a control character is in a string");
      if (!escape()) return false;
    }
    end = at_++;
    return true;
  }

  bool escape() {
    const char kind = at_ + 1 < record_.size() ? record_[at_ + 1] : '\0';
    if (kind == 'u') {
      for (std::size_t i = 2; i < 6; ++i)
        if (at_ + i >= record_.size() || hex_value(record_[at_ + i]) < 0)
          return fail("an escape \\u lacks its four digits");
      at_ += 6;
      return true;
    }
    if (kind == '\0' || std::string_view{"\"\\/bfnrt"}.find(kind) == std::string_view::npos)
      return fail("an unknown escape is in a string");
    at_ += 2;
    return true;
  }

  bool digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ != begin || fail("a number lacks its digits");
  }

  bool number() {
    if (peek() == '-') ++at_;
    const bool zero = peek() == '0';
    const std::size_t begin = at_;
    if (!digits()) return false;
    if (zero && at_ - begin > 1) return fail("a number begins with 0");
    if (peek() == '.') {
      ++at_;
      if (!digits()) return false;
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digits()) return false;
    }
    return true;
  }

  bool word(std::string_view expected) {
    if (!record_.substr(at_).starts_with(expected)) return fail("a value was expected");
    at_ += expected.size();
    return true;
  }

  // `matched`: how many tokens of the pointer lead here.
  bool value(int depth, std::size_t matched) {
    if (depth > kDeepest)
      return fail_at(at_, message("its JSON is nested deeper than ", kDeepest, " levels"));
    skip_space();
    const bool is_target = matched == tokens_.size();
    const char first = peek();
    if (is_target) found_.other_value = at_;
    if (first == '"') {
      std::size_t begin = 0;
      std::size_t end = 0;
      if (!string(begin, end)) return false;
      if (!is_target) return true;
      found_.text_begin = begin;
      found_.text_end = end;
      found_.has_text = true;
      return true;
    }
    const std::size_t below = is_target ? kNotOnTheWay : matched;
    if (first == '{') return object(depth, below);
    if (first == '[') return array(depth, below);
    if (first == 't') return word("true");
    if (first == 'f') return word("false");
    if (first == 'n') return word("null");
    if (first == '-' || (first >= '0' && first <= '9')) return number();
    return fail(at_ == record_.size() ? "it ends before its value does" : "a value was expected");
  }

  bool is_called(std::string_view raw_name, std::string_view name) {
    if (raw_name.find('\\') == std::string_view::npos) return raw_name == name;
    name_.clear();
    const auto invalid = append_unescaped(raw_name, name_);
    return !invalid && name_ == name;
  }

  bool object(int depth, std::size_t matched) {
    ++at_;
    skip_space();
    bool met = false;
    bool is_empty = peek() == '}';
    if (is_empty) ++at_;
    for (bool more = !is_empty; more;) {
      skip_space();
      std::size_t begin = 0;
      std::size_t end = 0;
      if (!string(begin, end)) return false;
      const std::string_view name = record_.substr(begin, end - begin);
      const bool leads = matched != kNotOnTheWay && is_called(name, tokens_[matched]);
      if (leads && met)
        return fail_at(begin - 1, message("the member ", tokens_[matched],
                                          " occurs twice, and readers disagree on which counts"));
      met = met || leads;
      if (depth == 0 && is_called(name, attribute_)) found_.has_attribute = true;
      if (!expect(':', "a colon was expected") ||
          !value(depth + 1, leads ? matched + 1 : kNotOnTheWay))
        return false;
      skip_space();
      more = peek() == ',';
      if (!more && peek() != '}') return fail("a comma or a closing brace was expected");
      ++at_;
    }
    if (depth == 0) {
      found_.is_object = true;
      found_.has_members = !is_empty;
      found_.object_end = at_ - 1;
    }
    return true;
  }

  bool array(int depth, std::size_t matched) {
    ++at_;
    std::uint64_t wanted = UINT64_MAX;
    if (matched != kNotOnTheWay) {
      const std::string& token = tokens_[matched];
      const bool canonical = token == "0" || (!token.empty() && token[0] != '0');
      const auto read = std::from_chars(token.data(), token.data() + token.size(), wanted);
      if (!canonical || read.ec != std::errc{} || read.ptr != token.data() + token.size())
        wanted = UINT64_MAX;
    }
    skip_space();
    if (peek() == ']') {
      ++at_;
      return true;
    }
    for (std::uint64_t index = 0;; ++index) {
      if (!value(depth + 1, index == wanted ? matched + 1 : kNotOnTheWay)) return false;
      skip_space();
      if (peek() == ']') break;
      if (peek() != ',') return fail("a comma or a closing bracket was expected");
      ++at_;
    }
    ++at_;
    return true;
  }

  std::string_view record_;
  const std::vector<std::string>& tokens_;
  std::string_view attribute_;
  JsonDocument& found_;
  std::size_t at_ = 0;
  bool good_ = true;
  std::optional<JsonFault> fault_;
  std::string name_;
};

struct Step {  // one character of a raw string
  std::size_t raw_bytes = 0;
  std::uint32_t code_point = 0;
  bool valid = true;
};

constexpr std::uint32_t kReplacement = 0xfffd;

std::uint32_t four_digits(std::string_view raw, std::size_t at) {
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < 4; ++i)
    code = code << 4U | static_cast<std::uint32_t>(hex_value(raw[at + i]));
  return code;
}

Step escaped_character(std::string_view raw, std::size_t at) {
  switch (raw[at + 1]) {
    case 'b':
      return {2, '\b'};
    case 'f':
      return {2, '\f'};
    case 'n':
      return {2, '\n'};
    case 'r':
      return {2, '\r'};
    case 't':
      return {2, '\t'};
    case 'u':
      break;
    default:
      return {2, static_cast<unsigned char>(raw[at + 1])};
  }
  const std::uint32_t code = four_digits(raw, at + 2);
  if (code < 0xd800 || code > 0xdfff) return {6, code};
  if (code < 0xdc00 && at + 12 <= raw.size() && raw[at + 6] == '\\' && raw[at + 7] == 'u') {
    const std::uint32_t low = four_digits(raw, at + 8);
    if (low >= 0xdc00 && low <= 0xdfff)
      return {12, 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00)};
  }
  return {6, kReplacement, false};
}

// By table 3-7 of the Unicode standard; what is not valid ends where it cannot go on.
Step multibyte_character(std::string_view raw, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < raw.size() ? static_cast<unsigned char>(raw[at + i]) : 0U;
  };
  const unsigned lead = byte(0);
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return {1, kReplacement, false};
  unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  std::uint32_t code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) < least || byte(i) > most) return {i, kReplacement, false};
    code = code << 6U | (byte(i) & 0x3fU);
    least = 0x80;
    most = 0xbf;
  }
  return {length, code};
}

Step character(std::string_view raw, std::size_t at) {
  const char c = raw[at];
  if (c == '\\') return escaped_character(raw, at);
  if (static_cast<unsigned char>(c) < 0x80) return {1, static_cast<unsigned char>(c)};
  return multibyte_character(raw, at);
}

std::size_t utf8_bytes(std::uint32_t code) {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

void append_utf8(std::uint32_t code, std::string& to) {
  const auto put = [&](std::uint32_t byte) { to += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6U);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12U);
    } else {
      put(0xf0 | code >> 18U);
      put(0x80 | (code >> 12U & 0x3fU));
    }
    put(0x80 | (code >> 6U & 0x3fU));
  }
  put(0x80 | (code & 0x3fU));
}

}  // namespace

Result<JsonTextFinder> JsonTextFinder::make(std::string_view pointer, std::string attribute) {
  const auto wrong = [&] {
    return Error{ErrorCode::kInvalidArgument,
                 message("'", pointer, "' is not a JSON Pointer such as /text")};
  };
  if (!pointer.empty() && pointer[0] != '/') return wrong();
  JsonTextFinder finder;
  finder.attribute_ = std::move(attribute);
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      finder.tokens_.emplace_back();
    } else if (pointer[i] == '~') {
      const char kind = ++i < pointer.size() ? pointer[i] : '\0';
      if (kind != '0' && kind != '1') return wrong();
      finder.tokens_.back() += kind == '1' ? '/' : '~';
    } else {
      finder.tokens_.back() += pointer[i];
    }
  }
  return finder;
}

std::optional<JsonFault> JsonTextFinder::find(std::string_view record, JsonDocument& found) const {
  found = {};
  return RecordScan{record, tokens_, attribute_, found}.run();
}

std::optional<std::size_t> append_unescaped(std::string_view raw, std::string& to) {
  std::optional<std::size_t> first_invalid;
  for (std::size_t at = 0; at < raw.size();) {
    std::size_t plain = at;
    while (plain < raw.size() && raw[plain] != '\\' &&
           static_cast<unsigned char>(raw[plain]) < 0x80)
      ++plain;
    to.append(raw, at, plain - at);
    at = plain;
    if (at == raw.size()) break;
    const Step step = character(raw, at);
    if (!step.valid && !first_invalid) first_invalid = at;
    append_utf8(step.code_point, to);
    at += step.raw_bytes;
  }
  return first_invalid;
}

void to_raw_ranges(std::string_view raw, std::vector<TextRange>& ranges) {
  std::size_t at = 0;
  std::size_t decoded = 0;
  const auto raw_place = [&](std::size_t wanted) {
    while (decoded < wanted && at < raw.size()) {
      const Step step = character(raw, at);
      at += step.raw_bytes;
      decoded += utf8_bytes(step.code_point);
    }
    return at;
  };
  for (TextRange& range : ranges) {
    range.begin = raw_place(range.begin);
    range.end = raw_place(range.end);
  }
}

}  // namespace bloomery::cli
