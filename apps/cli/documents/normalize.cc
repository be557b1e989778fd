#include "apps/cli/documents/normalize.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

bool is_ascii(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}

utf8proc_int32_t character_at(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) {
    ++at;
    return first;
  }
  utf8proc_int32_t code = -1;
  const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                     static_cast<utf8proc_ssize_t>(text.size() - at), &code);
  at += size > 0 ? static_cast<std::size_t>(size) : 1;
  return size > 0 ? code : 0xfffd;
}

void append_character(utf8proc_int32_t code, std::string& to) {
  utf8proc_uint8_t bytes[4];
  const auto size = utf8proc_encode_char(code, bytes);
  to.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

std::string composed(std::string_view text) {
  utf8proc_uint8_t* out = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &out,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owned{out, std::free};
  if (size == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc{};
  if (size < 0) return std::string{text};
  return {reinterpret_cast<const char*>(out), static_cast<std::size_t>(size)};
}

void append_lower(std::string_view text, std::string& to) {
  for (std::size_t at = 0; at < text.size();) {
    const auto code = character_at(text, at);
    if (code < 0x80)
      to += static_cast<char>(code >= 'A' && code <= 'Z' ? code + 32 : code);
    else
      append_character(utf8proc_tolower(code), to);
  }
}

bool is_white_space(utf8proc_int32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

enum class Letter : std::uint8_t { kNone, kPart, kWord, kMark };

Letter letter_of(utf8proc_int32_t code) {
  if (code < 0x80) {
    const bool part = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
                      (code >= '0' && code <= '9');
    return part ? Letter::kPart : Letter::kNone;
  }
  const utf8proc_property_t* property = utf8proc_get_property(code);
  switch (property->category) {
    case UTF8PROC_CATEGORY_LO:
      return property->charwidth == 2 ? Letter::kWord : Letter::kPart;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Letter::kPart;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return Letter::kMark;
    default:
      return Letter::kNone;
  }
}

}  // namespace

void append_normalized(std::string_view text, Normalization how, std::string& to) {
  if (is_ascii(text)) how.nfc = false;
  if (!how.nfc && !how.lower) {
    to += text;
    return;
  }
  if (!how.nfc) return append_lower(text, to);
  std::string form = composed(text);
  if (how.lower) {
    std::string lowered;
    append_lower(form, lowered);
    form = composed(lowered);
  }
  to += form;
}

TextRange without_white_space(std::string_view text, TextRange range) {
  while (range.begin < range.end) {
    std::size_t next = range.begin;
    if (!is_white_space(character_at(text.substr(0, range.end), next))) break;
    range.begin = next;
  }
  while (range.begin < range.end) {
    std::size_t last = range.end - 1;
    while (last > range.begin && (static_cast<unsigned char>(text[last]) & 0xc0U) == 0x80) --last;
    std::size_t next = last;
    if (!is_white_space(character_at(text, next))) break;
    range.end = last;
  }
  return range;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0U) != 0x80 ? 1 : 0;
  return count;
}

void append_words(std::string_view text, std::string& to, std::vector<TextRange>& words) {
  Letter before = Letter::kNone;
  std::size_t begin = 0;  // of the word in `text`
  const auto end_word = [&](std::size_t end) {
    if (before == Letter::kNone) return;
    if (!words.empty()) to += ' ';
    const std::size_t start = to.size();
    to.append(text, begin, end - begin);
    words.push_back({start, to.size()});
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    Letter letter = letter_of(character_at(text, at));
    const bool goes_on =
        before != Letter::kNone &&
        (letter == Letter::kMark || (letter == Letter::kPart && before == Letter::kPart));
    if (goes_on) continue;  // a mark does not change what the word is
    end_word(here);
    begin = here;
    before = letter == Letter::kMark ? Letter::kPart : letter;
  }
  end_word(text.size());
}

std::string unicode_library() {
  return message("utf8proc ", utf8proc_version(), ", Unicode ", utf8proc_unicode_version());
}

}  // namespace bloomery::cli
