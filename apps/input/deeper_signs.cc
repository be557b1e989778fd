#include "apps/input/deeper_signs.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "bloomery/base/endian.h"

namespace bloomery::input {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLooked = 4096;
constexpr std::size_t kTarHeader = 512;

unsigned value_of(std::byte byte) { return std::to_integer<unsigned>(byte); }

// Octal digits between spaces, ended by a space or NUL.
std::optional<std::uint64_t> octal(std::string_view field) {
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  const std::size_t digits = std::min(field.find_first_not_of("01234567"), field.size());
  const std::string_view rest = field.substr(digits);
  if (digits == 0 || rest.find_first_not_of(" \0"sv) != std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  for (const char digit : field.substr(0, digits))
    value = value * 8 + static_cast<std::uint64_t>(digit - '0');
  return value;
}

// The sum is that of all bytes with spaces in its own place. Text may agree by chance, but it has
// no NUL.
bool has_tar_checksum(ByteView header) {
  constexpr std::size_t kPlace = 148;
  constexpr std::size_t kBytes = 8;
  const auto recorded = octal(text_of(header.subspan(kPlace, kBytes)));
  if (!recorded || std::ranges::find(header, std::byte{0}) == header.end()) return false;
  std::uint64_t sum = kBytes * ' ';
  for (std::size_t i = 0; i < kTarHeader; ++i)
    if (i < kPlace || i >= kPlace + kBytes) sum += value_of(header[i]);
  return sum == *recorded;
}

// As xz writes and accepts them: 2^n or 2^n + 2^(n-1), or all ones.
bool is_dictionary_size(std::uint32_t bytes) {
  constexpr std::uint32_t kLeast = 4096;
  const std::uint32_t rest = bytes - std::bit_floor(bytes);
  return bytes == ~std::uint32_t{0} ||
         (bytes >= kLeast && (rest == 0 || rest == std::bit_floor(bytes) / 2));
}

}  // namespace

bool is_tar(ByteView first_bytes) {
  constexpr std::size_t kPlace = 257;
  if (first_bytes.size() >= kPlace + 6) {
    const std::string_view word = text_of(first_bytes.subspan(kPlace));
    if (word.starts_with("ustar\0"sv) || word.starts_with("ustar "sv)) return true;
  }
  return first_bytes.size() >= kTarHeader && has_tar_checksum(first_bytes.first(kTarHeader));
}

bool is_arrow_stream(ByteView first_bytes) {
  return first_bytes.size() >= 8 && text_of(first_bytes).starts_with("\xff\xff\xff\xff"sv) &&
         first_bytes[7] == std::byte{0} && (first_bytes[4] & std::byte{7}) == std::byte{0};
}

// Properties (lc 3, lp 0, pb 2: no program writes others), the size of the dictionary, and that of
// the content: unknown, or below 256 GiB as in liblzma. Then the first byte of the coder, which is
// 0.
bool is_lzma(ByteView first_bytes) {
  constexpr std::size_t kDictionaryEnd = 5;
  constexpr std::size_t kHeader = 13;
  if (first_bytes.size() < kDictionaryEnd || !text_of(first_bytes).starts_with("\x5d\0\0"sv))
    return false;
  if (!is_dictionary_size(load_le<std::uint32_t>(first_bytes.data() + 1))) return false;
  if (first_bytes.size() < kHeader) return true;
  const auto content = load_le<std::uint64_t>(first_bytes.data() + kDictionaryEnd);
  const bool plausible = content == ~std::uint64_t{0} || content < (std::uint64_t{1} << 38);
  return plausible && (first_bytes.size() == kHeader || first_bytes[kHeader] == std::byte{0});
}

bool could_be_lzma(ByteView first_bytes) {
  constexpr std::string_view kStart = "\x5d\0\0"sv;
  if (first_bytes.size() < kStart.size())
    return kStart.starts_with(text_of(first_bytes)) && !first_bytes.empty();
  return first_bytes.size() < 14 && text_of(first_bytes).starts_with(kStart) &&
         (first_bytes.size() < 5 || is_lzma(first_bytes));
}

std::optional<std::string_view> utf16_without_mark(ByteView first_bytes) {
  constexpr std::size_t kLeastPairs = 4;
  const std::size_t pairs = std::min(first_bytes.size(), kLooked) / 2;
  std::size_t first_nuls = 0;
  std::size_t second_nuls = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    first_nuls += first_bytes[2 * i] == std::byte{0} ? 1 : 0;
    second_nuls += first_bytes[2 * i + 1] == std::byte{0} ? 1 : 0;
  }
  const auto most = [&](std::size_t nuls) { return nuls > pairs / 2; };
  const auto hardly_one = [&](std::size_t nuls) { return nuls <= pairs / 16; };
  if (pairs < kLeastPairs) return std::nullopt;
  if (most(second_nuls) && hardly_one(first_nuls)) return "UTF-16LE"sv;
  if (most(first_nuls) && hardly_one(second_nuls)) return "UTF-16BE"sv;
  return std::nullopt;
}

bool has_control(ByteView first_bytes) {
  return std::ranges::any_of(
      first_bytes.first(std::min(first_bytes.size(), kLooked)), [](std::byte byte) {
        const unsigned value = value_of(byte);
        return (value >= 1 && value <= 8) || (value >= 0x0e && value <= 0x1a) ||
               (value >= 0x1c && value <= 0x1f) || value == 0x7f;
      });
}

}  // namespace bloomery::input
