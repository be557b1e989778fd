// Numbers as documents write them, with three significant digits.
#pragma once
#include <cstdint>
#include <string>

namespace bloomery::bench {

std::string three_digits(double number);  // 9.93, 76, 1,240
std::string fixed(double number, int digits);
std::string grouped(std::uint64_t number);             // 16,384
std::string power_of_ten(double number);               // 10^12, 2.4 × 10^8
std::string bytes_in_words(double bytes);              // 1.24 TB
std::string time_in_words(double seconds);             // 26 min
std::string dollars(double amount);                    // $3.79
std::string percent(double share, int digits);         // 1.0012 %
std::string signed_percent(double share, int digits);  // +0.03 %
std::string rate_in_words(double share);               // 0.99970 %, 1.2e-06 %
std::string small(double share);                       // 2.9e-39, 0

}  // namespace bloomery::bench
