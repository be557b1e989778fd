// Text as it is compared: Unicode normalisation, white space and words, by utf8proc.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/documents/json_text.h"

namespace bloomery::cli {

struct Normalization {
  bool nfc = false;
  bool lower = false;  // simple lower case of each character, then composed again with nfc
};

// Appends the text as it is compared. Precondition: it is UTF-8.
void append_normalized(std::string_view text, Normalization how, std::string& to);

// Without the characters of the property White_Space at both ends.
TextRange without_white_space(std::string_view text, TextRange range);

std::size_t count_characters(std::string_view text);  // code points

// Appends the words of a text, one space between two, and the range of each in `to`. A word is a
// run of letters, marks and numbers (categories L, M, N). A letter that is wide in East Asian text
// is a word of its own, because Chinese and Japanese do not separate words.
void append_words(std::string_view text, std::string& to, std::vector<TextRange>& words);

std::string unicode_library();  // "utf8proc 2.8.0, Unicode 15.0.0"

}  // namespace bloomery::cli
