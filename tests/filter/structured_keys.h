// Families of keys as programs make them: counters, pointers, times, addresses. A weak hash lets
// the members of a family collide, so absent keys are taken from the same family as those inserted.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace bloomery::testing {

struct KeyFamily {
  std::string_view name;
  std::uint64_t (*number)(std::uint64_t i);
  std::string (*text)(std::uint64_t i);
};

inline std::string eight_bytes(std::uint64_t number) {
  std::string text(sizeof number, '\0');
  for (char& letter : text) {
    letter = static_cast<char>(static_cast<unsigned char>(number & 0xff));
    number >>= 8;
  }
  return text;
}
template <auto kNumber>
std::string bytes_of_number(std::uint64_t i) {
  return eight_bytes(kNumber(i));
}

template <unsigned kShift>
std::uint64_t shifted(std::uint64_t i) {
  return i << kShift;
}
inline std::uint64_t page_pointer(std::uint64_t i) { return 0x7f12'0000'0000 + i * 4096; }
inline std::uint64_t bit_reversed(std::uint64_t i) {
  std::uint64_t reversed = 0;
  for (unsigned bit = 0; bit < 64; ++bit) reversed |= (i >> bit & 1) << (63 - bit);
  return reversed;
}

inline std::uint64_t choose(std::uint64_t from, unsigned many) {
  std::uint64_t ways = 1;
  for (unsigned i = 0; i < many; ++i) ways = ways * (from - i) / (i + 1);
  return from < many ? 0 : ways;
}
// The i-th number by how many bits are set, and by size among those.
inline std::uint64_t few_bits(std::uint64_t i) {
  unsigned ones = 0;
  for (; i >= choose(64, ones); ++ones) i -= choose(64, ones);
  std::uint64_t number = 0;
  unsigned bit = 64;
  for (; ones > 0; --ones) {
    do --bit;
    while (choose(bit, ones) > i);
    number |= std::uint64_t{1} << bit;
    i -= choose(bit, ones);
  }
  return number;
}
// Each byte of a counter twice.
inline std::uint64_t doubled_bytes(std::uint64_t i) {
  std::uint64_t number = 0;
  for (unsigned byte = 0; byte < 4; ++byte) number |= (i >> 8 * byte & 0xff) * 0x0101 << 16 * byte;
  return number;
}
// One byte over and over, then another one.
inline std::string two_runs(std::uint64_t i) {
  const std::uint64_t byte = i % 256;
  const std::uint64_t other = byte + 1 + i / 256 % 255;
  const std::uint64_t first = 1 + i / (256 * 255);
  return std::string(first, static_cast<char>(static_cast<unsigned char>(byte))) +
         std::string(120 - first, static_cast<char>(static_cast<unsigned char>(other & 0xff)));
}
inline std::uint64_t nanoseconds(std::uint64_t i) {  // one every millisecond
  return 1'700'000'000'000'000'000 + i * 1'000'000;
}
inline std::string time_text(std::uint64_t i) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "2024-03-%02uT%02u:%02u:%02u.%03uZ",
                static_cast<unsigned>(1 + i / 86'400'000),
                static_cast<unsigned>(i / 3'600'000 % 24), static_cast<unsigned>(i / 60'000 % 60),
                static_cast<unsigned>(i / 1000 % 60), static_cast<unsigned>(i % 1000));
  return text.data();
}
// Of one machine, one after the other: only the first group counts up.
inline std::uint64_t uuid_half(std::uint64_t i) { return (i << 32) + 0xe2d4'11ee; }
inline std::string uuid_text(std::uint64_t i) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08x-e2d4-11ee-8c99-0242ac120002",
                static_cast<unsigned>(0x6f00'0000 + i));
  return text.data();
}
inline std::uint64_t address(std::uint64_t i) {  // as it lies in a packet
  return (i & 0xff) << 24 | (i >> 8 & 0xff) << 16 | (i >> 16 & 0xff) << 8 | 10;
}
inline std::string dotted_address(std::uint64_t i) {
  return "10." + std::to_string(i >> 16 & 0xff) + "." + std::to_string(i >> 8 & 0xff) + "." +
         std::to_string(i & 0xff);
}
inline std::uint64_t eight_digits(std::uint64_t i) {
  std::uint64_t number = 0;
  for (unsigned digit = 0; digit < 8; ++digit, i /= 10) number = number << 8 | ('0' + i % 10);
  return number;
}
inline std::string decimal(std::uint64_t i) { return std::to_string(i); }

inline constexpr KeyFamily kKeyFamilies[] = {
    {"sequential", shifted<0>, bytes_of_number<shifted<0>>},
    {"shifted_by_8", shifted<8>, bytes_of_number<shifted<8>>},
    {"shifted_by_16", shifted<16>, bytes_of_number<shifted<16>>},
    {"shifted_by_32", shifted<32>, bytes_of_number<shifted<32>>},
    {"page_pointers", page_pointer, bytes_of_number<page_pointer>},
    {"bit_reversed", bit_reversed, bytes_of_number<bit_reversed>},
    {"few_bits", few_bits, bytes_of_number<few_bits>},
    {"repeated_bytes", doubled_bytes, two_runs},
    {"timestamps", nanoseconds, time_text},
    {"uuids", uuid_half, uuid_text},
    {"addresses", address, dotted_address},
    {"decimals", eight_digits, decimal},
};

}  // namespace bloomery::testing
