// Keys written as text: hexadecimal and base64.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

// "0x" or "0X" may come first; the empty record is the empty key. After an error `fault` is the
// first character that is wrong, counted from 0, or 0 where the length is.
Status append_hex(std::string_view record, std::vector<std::byte>& to, std::size_t& fault);
// RFC 4648, with + and / or with - and _; padding may be left out. `fault` as above.
Status append_base64(std::string_view record, std::vector<std::byte>& to, std::size_t& fault);

// One byte: "," or one of "\t", "\n", "\0", "\\", "\x1f".
Result<std::byte> parse_byte(std::string_view text);

}  // namespace bloomery::cli
