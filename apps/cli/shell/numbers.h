// Numbers as people write them and read them.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// "250", "10M", "1e9", "1.5k", "4Gi", "512MiB": k M G T P are powers of 1000, Ki Mi Gi Ti Pi of
// 1024; a B may follow. The result is a whole number.
Result<std::uint64_t> parse_count(std::string_view text);
// "0.001", "1e-3", "0.1%", "1/1000": strictly between 0 and 1.
Result<double> parse_probability(std::string_view text);

// A plain decimal number: "0.5", "20", "1e-3".
Result<double> parse_decimal(std::string_view text);
// "300ms", "90s", "5m", "1h": in milliseconds.
Result<std::uint64_t> parse_duration(std::string_view text);

std::string format_count_exactly(std::uint64_t count);  // format_count of whole numbers

// The units of all output for people: decimal counts with thousands separators, binary sizes.
std::string format_bytes(std::uint64_t bytes);  // "1.2 MiB"
std::string format_count(double count);         // "9,585,059": rounded, and 0 where negative
std::string format_count(std::integral auto count) {
  return format_count_exactly(static_cast<std::uint64_t>(count));
}
std::string counted(std::uint64_t count, std::string_view noun);  // "1 key", "2,000 keys"
std::string format_speed(double per_second);        // "9,590,000/s": three significant digits
std::string format_probability(double rate);        // "0.98 %", "1.2e-07"
std::string format_seconds(double seconds);         // "0.42 s", "3 min 05 s"
std::string significant(double value, int digits);  // no trailing zeros

// Labels of a plot, which have little room.
std::string axis_count(double count);    // 10k, 2.5M, 1G
std::string axis_percent(double rate);   // 1 %, 0.02 %, 3.2×10⁻⁹
std::string power_of_ten(int exponent);  // 10⁻⁷. Precondition: negative.

}  // namespace bloomery::cli
