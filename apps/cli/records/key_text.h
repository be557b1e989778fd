// Keys written as text: hexadecimal, base64, and values inside JSON.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

// "0x" or "0X" may come first; the empty record is the empty key.
Status append_hex(std::string_view record, std::vector<std::byte>& to);
// RFC 4648, with + and / or with - and _; padding may be left out.
Status append_base64(std::string_view record, std::vector<std::byte>& to);

// A JSON Pointer (RFC 6901) such as "/user/id", checked once.
class JsonKey {
 public:
  static Result<JsonKey> parse(const std::string& pointer);
  // A string gives its bytes, anything else its compact JSON text; a number with more digits than a
  // double holds gives the text it is written as. False, and nothing appended,
  // where the record is blank, has no value there, or has null.
  Result<bool> append(std::string_view record, std::vector<std::byte>& to) const;
  const std::string& pointer() const { return pointer_; }

 private:
  explicit JsonKey(std::string pointer) : pointer_{std::move(pointer)} {}
  std::string pointer_;
};

// One byte: "," or one of "\t", "\n", "\0", "\\", "\x1f".
Result<std::byte> parse_byte(std::string_view text);

}  // namespace bloomery::cli
