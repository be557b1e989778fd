// A document as a JSON record: where the text's string and the end of the object are, so that the
// text is edited and a member is added while every other byte stays as it was.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// What is wrong with a record, and at which of its bytes.
struct JsonFault {
  std::size_t byte = 0;
  std::string why;
};

struct JsonDocument {
  // Between the quotes of the text, escapes as they are. Only where has_text.
  std::size_t text_begin = 0;
  std::size_t text_end = 0;
  bool has_text = false;        // false: nothing is at the pointer, or no string
  std::size_t other_value = 0;  // where a value is at the pointer that is no string
  bool is_object = false;       // the record is, and so can get a member
  bool has_members = false;
  std::size_t object_end = 0;  // its closing brace
  bool has_attribute = false;  // it has a member of the attribute's name already
};

class JsonTextFinder {
 public:
  // Fails where `pointer` is no JSON Pointer. The empty pointer is the record itself.
  static Result<JsonTextFinder> make(std::string_view pointer, std::string attribute);

  // Checks the whole record by RFC 8259, but for the UTF-8 of its strings. A member of the
  // pointer that occurs twice is a fault, because readers disagree on which of them counts. Nesting
  // is limited to 500 levels.
  std::optional<JsonFault> find(std::string_view record, JsonDocument& found) const;

 private:
  JsonTextFinder() = default;
  std::vector<std::string> tokens_;
  std::string attribute_;
};

// The characters of a string between its quotes, as UTF-8. Bytes that are not UTF-8 and escapes of
// lone surrogates become U+FFFD, one for each maximal part; the result is then the first of
// them. Precondition: JsonTextFinder accepted the string.
std::optional<std::size_t> append_unescaped(std::string_view raw, std::string& to);

// The ranges [begin, end) of decoded bytes, ascending, as ranges of raw ones.
// Precondition: every boundary lies between characters.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};
void to_raw_ranges(std::string_view raw, std::vector<TextRange>& ranges);

}  // namespace bloomery::cli
