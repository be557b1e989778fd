// Numbers as the server parses them: what its own commands refuse is refused here.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery::redis_module {

// Decimal, without a plus, spaces or leading zeros.
std::optional<std::int64_t> parse_integer(std::string_view text);
// What strtod takes whole, and not NaN; no leading space.
std::optional<double> parse_double(std::string_view text);
// The shortest text that parse_double reads as the same number.
std::string double_text(double number);
bool same_word(std::string_view a, std::string_view b);     // upper and lower case are the same
bool begins(std::string_view word, std::string_view name);  // the name, or a beginning of it

}  // namespace bloomery::redis_module
