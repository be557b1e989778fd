// Numbers as people read them in tables and on axes.
#pragma once
#include <cstdint>
#include <string>

namespace bloomery::cli {

std::string significant(double value, int digits);  // no trailing zeros
std::string short_count(double count);              // 10k, 2.5M, 1G
std::string short_bytes(std::uint64_t bytes);       // 12 MB, 640 bytes
std::string short_percent(double rate);             // 1 %, 0.02 %, 3.2×10⁻⁹
std::string power_of_ten(int exponent);             // 10⁻⁷. Precondition: negative.
std::string grouped(std::uint64_t number);          // 95,850,584

}  // namespace bloomery::cli
