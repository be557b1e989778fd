// A strict reader of one JSON text (RFC 8259), forward only: the whole of UTF-8, no lone
// surrogates, no NUL, at most kDeepest levels.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery {

// Each function that returns bool returns false at the first fault; error() then has the sentence
// with its byte, and nothing more is read. A view: the text outlives the reader.
class JsonReader {
 public:
  static constexpr unsigned kDeepest = 500;

  // `offset`: where the text begins in what an error counts the bytes of.
  explicit JsonReader(std::string_view text, std::size_t offset = 0)
      : text_{text}, offset_{offset} {}

  // The first byte of the next token, behind white space; NUL at the end of the text.
  char next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::size_t at() const { return at_; }  // the byte that is read next, from 0
  std::string_view text() const { return text_; }

  // Any value, and what is in it.
  bool skip_value();
  // Precondition: next() is the double quote. `raw` is what is between the quotes.
  bool read_string(std::string_view& raw);
  // Precondition: next() is a minus sign or a digit.
  bool read_number(std::string_view& raw);
  // true, false or null. Precondition: next() is its first letter.
  bool read_word(std::string_view word);
  // Consumes `c`, where it is next.
  bool take(char c) {
    if (next() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  // An object or array begins. Precondition: next() is its bracket.
  bool enter();
  void leave() { --depth_; }
  // The name of a member, behind which its value comes.
  bool read_name(std::string_view& raw);
  // Behind a value: true and `more` where another follows, true where `close` ends the list.
  bool end_of_value(char close, bool& more) {
    const char c = next();
    more = c == ',';
    if ((c != ',' && c != close) || at_ == text_.size()) return fail_to_end(close);
    ++at_;
    return true;
  }
  // Nothing but white space is left.
  bool end();

  bool fail(std::string_view why) { return fail_at(at_, why); }
  // Precondition: byte <= text().size().
  bool fail_at(std::size_t byte, std::string_view why);
  Error error() const;

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  bool fail_to_end(char close);
  bool skip_scalar(char first);
  bool read_escape();
  bool read_four_digits(std::uint32_t& code);
  bool read_multibyte();
  bool read_digits();

  std::string_view text_;
  std::size_t offset_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  std::string fault_;
};

// The UTF-8 that a raw string stands for. Precondition: JsonReader::read_string gave it.
void append_unescaped_json(std::string_view raw, std::string& to);

}  // namespace bloomery
