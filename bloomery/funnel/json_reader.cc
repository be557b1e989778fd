#include "bloomery/funnel/json_reader.h"

#include <bit>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "bloomery/base/message.h"

namespace bloomery {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A byte of a string that stands for itself and is ASCII.
bool is_ordinary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

// Where the first byte that is not ordinary lies, from `at`.
std::size_t skip_ordinary(std::string_view text, std::size_t at) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i space = _mm_set1_epi8(0x20);
  for (; at + sizeof(__m128i) <= text.size(); at += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    // Signed: bytes from 0x80 on are less than a space too.
    const __m128i found =
        _mm_or_si128(_mm_cmplt_epi8(bytes, space),
                     _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
    const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(found));
    if (mask != 0) return at + static_cast<std::size_t>(std::countr_zero(mask));
  }
#endif
  while (at < text.size() && is_ordinary(text[at])) ++at;
  return at;
}

std::uint32_t json_hex_digit(char c) {
  constexpr std::uint32_t kNone = 16;
  if (is_digit(c)) return static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint32_t>(c - 'A' + 10);
  return kNone;
}

bool is_surrogate(std::uint32_t code) { return code >= 0xd800 && code <= 0xdfff; }

void append_code_point(std::uint32_t code, std::string& to) {
  const auto put = [&to](std::uint32_t byte) { to += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6U);
  } else {
    if (code >= 0x10000) put(0xf0 | code >> 18U);
    put(code >= 0x10000 ? 0x80 | (code >> 12U & 0x3fU) : 0xe0 | code >> 12U);
    put(0x80 | (code >> 6U & 0x3fU));
  }
  put(0x80 | (code & 0x3fU));
}

std::uint32_t four_hex_digits(std::string_view raw, std::size_t at) {
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < 4; ++i) code = code << 4U | json_hex_digit(raw[at + i]);
  return code;
}

}  // namespace

bool JsonReader::fail_at(std::size_t byte, std::string_view why) {
  if (fault_.empty()) fault_ = message(why, " (byte ", offset_ + byte + 1, ")");
  at_ = text_.size();
  return false;
}

Error JsonReader::error() const { return {ErrorCode::kInvalidArgument, fault_}; }

bool JsonReader::end() {
  (void)next();
  return at_ == text_.size() || fail("it is not JSON: more follows the end of the value");
}

bool JsonReader::enter() {
  if (depth_ == kDeepest)
    return fail(message("its JSON is nested deeper than ", kDeepest, " levels"));
  ++depth_;
  ++at_;
  return true;
}

bool JsonReader::read_word(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) return fail("it is not JSON: a value was expected");
  at_ += word.size();
  return true;
}

bool JsonReader::read_digits() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  return at_ != begin || fail("it is not JSON: a number lacks its digits");
}

bool JsonReader::read_number(std::string_view& raw) {
  const std::size_t begin = at_;
  const auto is_here = [this](char c) { return at_ < text_.size() && text_[at_] == c; };
  if (is_here('-')) ++at_;
  const bool begins_with_0 = is_here('0');
  const std::size_t digits = at_;
  if (!read_digits()) return false;
  if (begins_with_0 && at_ - digits > 1)
    return fail_at(digits, "it is not JSON: a number begins with 0");
  if (is_here('.')) {
    ++at_;
    if (!read_digits()) return false;
  }
  if (is_here('e') || is_here('E')) {
    ++at_;
    if (is_here('+') || is_here('-')) ++at_;
    if (!read_digits()) return false;
  }
  raw = text_.substr(begin, at_ - begin);
  return true;
}

bool JsonReader::read_four_digits(std::uint32_t& code) {
  for (std::size_t i = 0; i < 4; ++i)
    if (at_ + i >= text_.size() || json_hex_digit(text_[at_ + i]) > 15)
      return fail("it is not JSON: an escape \\u lacks its four digits");
  code = four_hex_digits(text_, at_);
  at_ += 4;
  return true;
}

// Precondition: a backslash is here.
bool JsonReader::read_escape() {
  const std::size_t begin = at_;
  const char kind = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  at_ += 2;
  if (kind != 'u') {
    const bool known = std::string_view{"\"\\/bfnrt"}.find(kind) != std::string_view::npos;
    return (known && kind != '\0') ||
           fail_at(begin, "it is not JSON: a string has an unknown escape");
  }
  std::uint32_t code = 0;
  if (!read_four_digits(code)) return false;
  if (!is_surrogate(code)) return true;
  std::uint32_t low = 0;
  const bool has_low = code < 0xdc00 && text_.substr(at_).starts_with("\\u");
  if (has_low) at_ += 2;
  if (has_low && !read_four_digits(low)) return false;
  return (low >= 0xdc00 && low <= 0xdfff) ||
         fail_at(begin, "it is not JSON: a string has half of a surrogate pair");
}

// Precondition: a byte from 0x80 on is here. By table 3-7 of the Unicode standard.
bool JsonReader::read_multibyte() {
  const auto byte = [this](std::size_t i) -> unsigned {
    return at_ + i < text_.size() ? static_cast<unsigned char>(text_[at_ + i]) : 0U;
  };
  const unsigned lead = byte(0);
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  bool valid = lead >= 0xc2 && lead <= 0xf4;
  const unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  valid = valid && byte(1) >= least && byte(1) <= most;
  for (std::size_t i = 2; i < length; ++i) valid = valid && (byte(i) & 0xc0U) == 0x80;
  if (!valid) return fail("it is not JSON: a string is not valid UTF-8");
  at_ += length;
  return true;
}

bool JsonReader::read_string(std::string_view& raw) {
  const std::size_t begin = ++at_;
  for (;;) {
    at_ = skip_ordinary(text_, at_);
    if (at_ == text_.size()) return fail("it is not JSON: it ends within a string");
    const char c = text_[at_];
    if (c == '"') break;
    if (static_cast<unsigned char>(c) >= 0x80) {
      if (!read_multibyte()) return false;
    } else if (c != '\\') {
      return fail("it is not JSON: a control character is in a string");
    } else if (!read_escape()) {
      return false;
    }
  }
  raw = text_.substr(begin, at_++ - begin);
  return true;
}

bool JsonReader::read_name(std::string_view& raw) {
  if (next() != '"') return fail("it is not JSON: the name of a member was expected");
  if (!read_string(raw)) return false;
  return take(':') || fail("it is not JSON: a colon was expected");
}

bool JsonReader::fail_to_end(char close) {
  if (at_ == text_.size()) return fail("it is not JSON: it ends before its value does");
  return fail(close == '}' ? "it is not JSON: a comma or a closing brace was expected"
                           : "it is not JSON: a comma or a closing bracket was expected");
}

bool JsonReader::skip_scalar(char first) {
  std::string_view ignored;
  if (first == '"') return read_string(ignored);
  if (first == '-' || is_digit(first)) return read_number(ignored);
  if (first == 't') return read_word("true");
  if (first == 'f') return read_word("false");
  if (first == 'n') return read_word("null");
  if (at_ == text_.size()) return fail("it is not JSON: it ends before its value does");
  return fail("it is not JSON: a value was expected");
}

bool JsonReader::skip_value() {
  const unsigned outside = depth_;
  // Bit i: whether the container that is open at level i is an object.
  std::uint64_t is_object[kDeepest / 64 + 1];
  std::string_view name;
  for (;;) {
    const char first = next();
    if (first == '{' || first == '[') {
      if (!enter()) return false;
      std::uint64_t& flags = is_object[depth_ / 64];
      const std::uint64_t bit = std::uint64_t{1} << depth_ % 64;
      flags = first == '{' ? flags | bit : flags & ~bit;
      const char second = next();
      if (second != (first == '{' ? '}' : ']')) {
        if (first == '{' && !read_name(name)) return false;
        continue;
      }
      ++at_;
      leave();
    } else if (!skip_scalar(first)) {
      return false;
    }
    // Behind a value: what it ends.
    for (bool more = false; !more;) {
      if (depth_ == outside) return true;
      const bool in_object = (is_object[depth_ / 64] >> depth_ % 64 & 1U) != 0;
      if (!end_of_value(in_object ? '}' : ']', more)) return false;
      if (!more) leave();
      if (more && in_object && !read_name(name)) return false;
    }
  }
}

void append_unescaped_json(std::string_view raw, std::string& to) {
  for (;;) {
    const std::size_t plain = raw.find('\\');
    to.append(raw.substr(0, plain));
    if (plain == std::string_view::npos) return;
    raw.remove_prefix(plain);
    constexpr std::string_view kKinds = "bfnrt";
    constexpr std::string_view kMeanings = "\b\f\n\r\t";
    if (raw[1] != 'u') {
      const std::size_t kind = kKinds.find(raw[1]);
      to += kind == std::string_view::npos ? raw[1] : kMeanings[kind];
      raw.remove_prefix(2);
      continue;
    }
    std::uint32_t code = four_hex_digits(raw, 2);
    raw.remove_prefix(6);
    if (is_surrogate(code)) {
      code = 0x10000 + ((code - 0xd800) << 10U) + (four_hex_digits(raw, 2) - 0xdc00);
      raw.remove_prefix(6);
    }
    append_code_point(code, to);
  }
}

}  // namespace bloomery
