#include "bloomery/hash/crc32c.h"

#include <array>

#include "bloomery/base/endian.h"
#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace bloomery {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // 0x1edc6f41, bits reversed

// Row r holds the effect of a byte that r more bytes follow, so eight bytes take eight lookups.
constexpr auto make_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t row = 1; row < 8; ++row)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t last = tables[row - 1][byte];
      tables[row][byte] = (last >> 8) ^ tables[0][last & 255];
    }
  return tables;
}
constexpr auto kTables = make_tables();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(ByteView bytes,
                                                             std::uint32_t before) noexcept {
  std::uint64_t crc = ~before;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8)
    crc = _mm_crc32_u64(crc, load_le<std::uint64_t>(bytes.data() + at));
  auto narrow = static_cast<std::uint32_t>(crc);
  for (; at < bytes.size(); ++at)
    narrow = _mm_crc32_u8(narrow, static_cast<std::uint8_t>(bytes[at]));
  return ~narrow;
}
#endif

}  // namespace

std::uint32_t internal::crc32c_portable(ByteView bytes, std::uint32_t before) noexcept {
  std::uint32_t crc = ~before;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    const std::uint64_t word = load_le<std::uint64_t>(bytes.data() + at) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][(word >> (8 * i)) & 255];
  }
  for (; at < bytes.size(); ++at)
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<std::uint32_t>(bytes[at])) & 255];
  return ~crc;
}

std::uint32_t crc32c(ByteView bytes, std::uint32_t before) noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return crc32c_sse42(bytes, before);
#endif
  return internal::crc32c_portable(bytes, before);
}

}  // namespace bloomery
